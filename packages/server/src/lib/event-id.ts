import { randomBytes } from "node:crypto";

/**
 * A new id of an event: a UUID of version 7 (RFC 9562), which begins with the time. So an event is found by its id with
 * the index of times.
 */
export function newEventId(time: number): string {
  const ms = Math.max(0, Math.floor(time)).toString(16).padStart(12, "0");
  const random = randomBytes(10);
  random[0] = ((random[0] as number) & 0x0f) | 0x70;
  random[2] = ((random[2] as number) & 0x3f) | 0x80;
  const rest = random.toString("hex");
  return [ms.slice(0, 8), ms.slice(8), rest.slice(0, 4), rest.slice(4, 8), rest.slice(8)].join("-");
}

const UUID_V7 = /^([\da-f]{8})-([\da-f]{4})-7[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/;

/** The time in an id; undefined if it is not the id of an event. */
export function timeOfEventId(id: string): number | undefined {
  const [, high, low] = UUID_V7.exec(id) ?? [];
  return high === undefined ? undefined : Number.parseInt(`${high}${low}`, 16);
}
