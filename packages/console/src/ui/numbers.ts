/** Whether a text is a whole number within bounds, in decimal digits. */
export function isWholeNumber(text: string, min = 0, max = Number.MAX_SAFE_INTEGER): boolean {
  return /^\d+$/.test(text) && Number(text) >= min && Number(text) <= max;
}
