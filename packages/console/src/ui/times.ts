const relative = new Intl.RelativeTimeFormat("en", { numeric: "auto" });

const UNITS: readonly (readonly [Intl.RelativeTimeFormatUnit, number])[] = [
  ["year", 365 * 86_400_000],
  ["month", 30 * 86_400_000],
  ["day", 86_400_000],
  ["hour", 3_600_000],
  ["minute", 60_000],
  ["second", 1_000],
];

/**
 * The distance of a time from now, in its largest unit.
 *
 * @example ageText(-120_000) // "2 minutes ago"
 */
export function ageText(ms: number): string {
  // The unit of the rounded number: 59.6 minutes are an hour.
  const [unit, size] =
    UNITS.find(([, one], at) => Math.abs(ms) >= one - (UNITS[at + 1]?.[1] ?? 1_000) / 2) ??
    (["second", 1_000] as const);
  return relative.format(Math.round(ms / size), unit);
}

/** The time of a date input or a URL as ISO 8601; undefined if it is not a time. */
export function isoTime(text: string): string | undefined {
  const date = new Date(text);
  return text === "" || Number.isNaN(date.getTime()) ? undefined : date.toISOString();
}
