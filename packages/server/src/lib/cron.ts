/** Schedules of cron: minute, hour, day of the month, month, day of the week, in UTC. */
export interface Cron {
  /** The first time after this one, in milliseconds since 1970. */
  next(after: number): number;
}

const SHORTHANDS: Readonly<Record<string, string>> = {
  "@hourly": "0 * * * *",
  "@daily": "0 0 * * *",
  "@weekly": "0 0 * * 0",
};

/** From and to which number each field goes. Sunday is 0 and 7. */
const RANGES = [
  [0, 59],
  [0, 23],
  [1, 31],
  [1, 12],
  [0, 7],
] as const;

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

/** A day that exists, such as February 29 on a Sunday, comes within these years. */
const MAX_DAYS = 41 * 366;

/** Undefined if it is not a schedule, or one that never comes. */
export function parseCron(text: string): Cron | undefined {
  const fields = (SHORTHANDS[text] ?? text).trim().split(/\s+/);
  if (fields.length !== RANGES.length) return undefined;
  const sets = fields.map((field, at) => valuesOf(field, RANGES[at] as readonly [number, number]));
  if (sets.some((set) => set === undefined)) return undefined;
  const [minutes, hours, days, months, weekdays] = sets as Set<number>[];
  if (weekdays?.has(7)) weekdays.add(0);
  // As in cron: if both are restricted, either of them is enough.
  const either = fields[2] !== "*" && fields[4] !== "*";
  const isDay = (date: Date) => {
    if (!months?.has(date.getUTCMonth() + 1)) return false;
    const byDate = days?.has(date.getUTCDate()) ?? false;
    const byWeekday = weekdays?.has(date.getUTCDay()) ?? false;
    return either ? byDate || byWeekday : byDate && byWeekday;
  };
  const next = (after: number): number => {
    const first = Math.floor(after / MINUTE_MS) * MINUTE_MS + MINUTE_MS;
    const midnight = Math.floor(first / DAY_MS) * DAY_MS;
    for (let day = 0; day < MAX_DAYS; day++) {
      const start = midnight + day * DAY_MS;
      if (!isDay(new Date(start))) continue;
      for (let time = Math.max(start, first); time < start + DAY_MS; time += MINUTE_MS) {
        const date = new Date(time);
        if (hours?.has(date.getUTCHours()) && minutes?.has(date.getUTCMinutes())) return time;
      }
    }
    return Number.NaN;
  };
  return Number.isNaN(next(0)) ? undefined : { next };
}

/** The numbers of a field: `*`, `5`, `1-5`, any of them with a step, separated by commas. */
function valuesOf(field: string, [min, max]: readonly [number, number]): Set<number> | undefined {
  const values = new Set<number>();
  for (const part of field.split(",")) {
    const [, all, from, to, step = "1"] =
      /^(?:(\*)|(\d{1,2})(?:-(\d{1,2}))?)(?:\/(\d{1,2}))?$/.exec(part) ?? [];
    if (all === undefined && from === undefined) return undefined;
    const first = all === undefined ? Number(from) : min;
    const last = all === undefined && step === "1" ? Number(to ?? from) : Number(to ?? max);
    if (first < min || last > max || first > last || Number(step) === 0) return undefined;
    for (let value = first; value <= last; value += Number(step)) values.add(value);
  }
  return values;
}
