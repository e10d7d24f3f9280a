/** Long bodies, cut to what an example can show. */

import { formatted } from "../../../../scripts/openapi/format.ts";

/** An example is read on one screen. */
export const MAX_LINES = 40;

const MAX_TEXT_LINES = 6;
const MAX_TEXT_LENGTH = 1_000;

/** A body with fewer entries in its lists, and fewer lines in its texts. */
export function shortened(body: unknown): unknown {
  for (const entries of [3, 2, 1]) {
    const short = cut(body, entries);
    if (linesOf(short) <= MAX_LINES) return short;
  }
  return cut(body, 1);
}

export function linesOf(body: unknown): number {
  return body === undefined ? 0 : formatted(body).trimEnd().split("\n").length;
}

function cut(value: unknown, entries: number): unknown {
  if (typeof value === "string") return cutText(value);
  if (Array.isArray(value)) return value.slice(0, entries).map((one) => cut(one, entries));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, cut(one, entries)]));
}

function cutText(text: string): string {
  const lines = text.split("\n");
  const short = lines.slice(0, MAX_TEXT_LINES).join("\n");
  if (short.length <= MAX_TEXT_LENGTH)
    return lines.length > MAX_TEXT_LINES + 1 ? `${short}\n…` : text;
  return `${short.slice(0, MAX_TEXT_LENGTH)}…`;
}
