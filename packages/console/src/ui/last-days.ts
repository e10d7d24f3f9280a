import { useState } from "react";

const DAYS = 14;
const DAY_MS = 86_400_000;

const format = new Intl.DateTimeFormat("en", { month: "short", day: "numeric" });

/** The last two weeks, one interval for each day here; the last is today. For charts over time. */
export function useLastDays() {
  const [end] = useState(endOfToday);
  return {
    since: new Date(end - DAYS * DAY_MS).toISOString(),
    until: new Date(end).toISOString(),
    intervals: DAYS,
  };
}

/** The label of the day that begins at a time. */
export function dayLabel(time = ""): string {
  return format.format(new Date(time));
}

function endOfToday(): number {
  const now = new Date();
  return new Date(now.getFullYear(), now.getMonth(), now.getDate() + 1).getTime();
}
