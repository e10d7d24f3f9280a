import { SbomRefused } from "../refusal.ts";
import { tooDeep } from "./token-walker.ts";

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

const SPACES: ReadonlySet<number> = new Set([0x20, 0x09, 0x0a, 0x0d]);

const OPEN = 1;
const CLOSE = 2;
const STRING = 3;

/** The bytes that begin or end a nested value or a string; a table is several times as fast as comparisons. */
const KINDS = new Uint8Array(256);
for (const bracket of "{[") KINDS[bracket.charCodeAt(0)] = OPEN;
for (const bracket of "}]") KINDS[bracket.charCodeAt(0)] = CLOSE;
KINDS[QUOTE] = STRING;

/**
 * The bytes of each JSON value, of which there may be several, one after the other. Checks their nesting, because
 * JSON.parse has no limit of it. Only brackets and strings are examined: JSON.parse finds every other mistake.
 */
export function outline(bytes: Uint8Array, maxDepth: number): Uint8Array[] {
  const values: Uint8Array[] = [];
  const { length } = bytes;
  let depth = 0;
  let start = 0;
  for (let at = 0; at < length; at++) {
    const kind = KINDS[bytes[at] as number];
    if (kind === 0) continue;
    if (kind === STRING) at = endOfString(bytes, at);
    else if (kind === OPEN) {
      if (++depth > maxDepth) throw tooDeep(maxDepth);
    } else if (--depth <= 0) {
      if (depth < 0) throw new SbomRefused("not_json", "is not JSON: an unexpected bracket");
      values.push(bytes.subarray(start, at + 1));
      start = at + 1;
    }
  }
  const rest = bytes.subarray(start);
  if (!rest.every((byte) => SPACES.has(byte))) values.push(rest);
  return values;
}

/** The index of the closing quote; the end of the bytes if there is none. */
function endOfString(bytes: Uint8Array, opening: number): number {
  const { length } = bytes;
  let at = opening + 1;
  while (at < length) {
    const byte = bytes[at];
    if (byte === QUOTE) return at;
    at += byte === BACKSLASH ? 2 : 1;
  }
  return length;
}
