/** The values of a filter, which the URL has with commas. */
export function chosenValues(text: unknown): string[] {
  return String(text ?? "")
    .split(",")
    .filter(Boolean);
}

/**
 * The values of a filter after one was switched on or off.
 *
 * @example toggledValue("critical,high", "high") // "critical"
 */
export function toggledValue(text: unknown, value: string, isSingle = false): string {
  const chosen = chosenValues(text);
  if (chosen.includes(value)) return chosen.filter((one) => one !== value).join(",");
  return isSingle ? value : [...chosen, value].join(",");
}
