/** Characters by which spreadsheets take a text for a formula. */
const FORMULA = /^[=+\-@\t\r]/;

/** Rows as CSV (RFC 4180). A text that a spreadsheet would run is made a text. */
export function csvOf(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const cell = (text: string) => {
    const safe = FORMULA.test(text) ? `'${text}` : text;
    return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
  };
  return [header, ...rows].map((row) => `${row.map(cell).join(",")}\r\n`).join("");
}

/** Saves a text as a file. */
export function download(name: string, type: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type }));
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
