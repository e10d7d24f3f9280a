/** None yet. */
let second = Number.NaN;
let upToSecond = "";

/**
 * A time in ISO 8601 with three fraction digits, of which all but those is made once a second: most
 * times that are written are of now.
 */
export function isoTime(ms: number): string {
  const thisSecond = Math.floor(ms / 1000);
  if (thisSecond !== second) {
    upToSecond = new Date(thisSecond * 1000).toISOString().slice(0, -4);
    second = thisSecond;
  }
  return `${upToSecond}${String(ms - thisSecond * 1000).padStart(3, "0")}Z`;
}
