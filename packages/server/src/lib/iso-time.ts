let second = Number.NaN;
let upToSecond = "";

/**
 * A time in ISO 8601 with milliseconds. The text up to the second is cached: most times that are written
 * are current.
 */
export function isoTime(ms: number): string {
  const thisSecond = Math.floor(ms / 1000);
  if (thisSecond !== second) {
    upToSecond = new Date(thisSecond * 1000).toISOString().slice(0, -4);
    second = thisSecond;
  }
  return `${upToSecond}${String(ms - thisSecond * 1000).padStart(3, "0")}Z`;
}
