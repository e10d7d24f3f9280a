/**
 * The entries of a text with one per line, or separated by commas; empty ones are left out.
 *
 * @example entriesOf("CVE-2024-1, CVE-2024-2\n") // ["CVE-2024-1", "CVE-2024-2"]
 */
export function entriesOf(text: string): string[] {
  return text
    .split(/[\n,]/)
    .map((entry) => entry.trim())
    .filter(Boolean);
}
