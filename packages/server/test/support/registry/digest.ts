/**
 * A digest like any other.
 *
 * @example digest(7) // "sha256:00…07"
 */
export function digest(number: number): string {
  return `sha256:${number.toString(16).padStart(64, "0")}`;
}
