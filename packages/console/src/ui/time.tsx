const relative = new Intl.RelativeTimeFormat("en", { numeric: "auto" });
const absolute = new Intl.DateTimeFormat("en", { dateStyle: "medium", timeStyle: "medium" });

const UNITS: readonly (readonly [Intl.RelativeTimeFormatUnit, number])[] = [
  ["year", 365 * 86_400_000],
  ["month", 30 * 86_400_000],
  ["day", 86_400_000],
  ["hour", 3_600_000],
  ["minute", 60_000],
  ["second", 1_000],
];

/** How long ago something was; the exact time is one hover away. */
export function Age({ time }: { readonly time: string | undefined }) {
  if (time === undefined) return null;
  const date = new Date(time);
  const ms = date.getTime() - Date.now();
  const [unit, size] = UNITS.find(([, one]) => Math.abs(ms) >= one) ?? ["second", 1_000];
  return (
    <time dateTime={time} title={absolute.format(date)}>
      {relative.format(Math.round(ms / size), unit)}
    </time>
  );
}

/** The time that a person entered, or undefined: people edit URLs. */
export function isoTime(text: string): string | undefined {
  const date = new Date(text);
  return text === "" || Number.isNaN(date.getTime()) ? undefined : date.toISOString();
}
