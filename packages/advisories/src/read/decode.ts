import { isUtf8 } from "node:buffer";
import { READ_LIMITS } from "./limits.ts";
import { Unreadable, unreadable } from "./unreadable.ts";

const BYTE_ORDER_MARK = "\ufeff";
const MIB = 1024 * 1024;
const NEWLINE = 10;

/**
 * The text of a document. What is too large is refused unread; what is not UTF-8, with the place.
 *
 * @example decode(await readFile("openssl.advisories.yaml"))
 */
export function decode(bytes: Uint8Array): string {
  if (bytes.length > READ_LIMITS.documentBytes) throw tooLarge();
  if (isUtf16(bytes)) throw unreadable("is UTF-16; UTF-8 is read");
  if (!isUtf8(bytes)) throw notUtf8(bytes);
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("utf8");
  return text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text;
}

/** Told by its byte order mark, or by the other half of the first character. */
function isUtf16(bytes: Uint8Array): boolean {
  const [first, second] = bytes;
  const hasMark = (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff);
  return hasMark || (bytes.length > 1 && (first === 0) !== (second === 0));
}

export function tooLarge(): Unreadable {
  return unreadable(`is larger than ${READ_LIMITS.documentBytes / MIB} MiB`);
}

function notUtf8(bytes: Uint8Array): Unreadable {
  const offset = firstInvalid(bytes);
  const line = bytes.subarray(0, offset).reduce((n, byte) => (byte === NEWLINE ? n + 1 : n), 1);
  const byte = (bytes[offset] as number).toString(16).padStart(2, "0");
  return new Unreadable([
    { line, path: "", reason: `is not UTF-8: byte 0x${byte} at offset ${offset}` },
  ]);
}

/** The end of the longest valid beginning, found by halves. */
function firstInvalid(bytes: Uint8Array): number {
  let valid = 0;
  let invalid = bytes.length;
  while (valid < invalid) {
    const middle = (valid + invalid + 1) >> 1;
    if (isUtf8(bytes.subarray(0, backToStart(bytes, middle)))) valid = middle;
    else invalid = middle - 1;
  }
  return backToStart(bytes, valid);
}

/** Where the character begins that an end at this place would cut: half a character is no fault yet. */
function backToStart(bytes: Uint8Array, end: number): number {
  let start = end;
  for (let back = 0; back < 3 && start > 0; back++) {
    const byte = bytes[start - 1] as number;
    if (byte < 0x80) return end;
    start--;
    if (byte >= 0xc0) return start + lengthOf(byte) <= end ? end : start;
  }
  return end;
}

function lengthOf(lead: number): number {
  return lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
}
