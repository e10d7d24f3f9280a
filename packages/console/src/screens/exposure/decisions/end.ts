const DAY_MS = 86_400_000;

/**
 * The end of a decision: a number of days from now, or the end of a day; undefined for none. Throws if a date is missing
 * or over.
 *
 * @example endOf("30", "", 0) // "1970-01-31T00:00:00.000Z"
 */
export function endOf(preset: string, date: string, now: number, problem = ""): string | undefined {
  if (preset === "") return undefined;
  const end = preset === "date" ? Date.parse(`${date}T23:59:59Z`) : now + Number(preset) * DAY_MS;
  if (Number.isNaN(end) || end <= now) throw new Error(problem);
  return new Date(end).toISOString();
}

/** The preset and date that stand for a stored end. */
export function presetOf(end: string | undefined): { preset: string; date: string } {
  return end === undefined ? { preset: "", date: "" } : { preset: "date", date: end.slice(0, 10) };
}
