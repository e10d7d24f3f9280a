/** A text that would run as a script, were it ever taken for markup. */
export const HOSTILE = `"><img src=x onerror=alert(1)><script>alert(2)</script>`;
