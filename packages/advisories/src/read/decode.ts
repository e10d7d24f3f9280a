import { DocumentError, documentError } from "./document-error.ts";
import { READ_LIMITS, type ReadLimits } from "./limits.ts";

const BYTE_ORDER_MARK = "\ufeff";
const MIB = 1024 * 1024;
const NEWLINE = 10;

/** Decodes a text with its byte order mark; throws on what is not UTF-8. */
const UTF8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/**
 * Decodes the text of a document. Rejects a document that is too large, and one that is not UTF-8 with the
 * position of the first invalid byte.
 *
 * @example decode(await readFile("openssl.advisories.yaml"))
 */
export function decode(bytes: Uint8Array, limits: ReadLimits = READ_LIMITS): string {
  if (bytes.length > limits.documentBytes) throw tooLarge(limits.documentBytes);
  if (isUtf16(bytes)) throw documentError("is UTF-16; expected UTF-8");
  const text = textOf(bytes);
  if (text === undefined) throw notUtf8(bytes);
  return text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text;
}

function textOf(bytes: Uint8Array): string | undefined {
  try {
    return UTF8.decode(bytes);
  } catch {
    return undefined;
  }
}

/** Detected by its byte order mark, or by a zero byte in the first character. */
function isUtf16(bytes: Uint8Array): boolean {
  const [first, second] = bytes;
  const hasMark = (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff);
  return hasMark || (bytes.length > 1 && (first === 0) !== (second === 0));
}

export function tooLarge(maxBytes: number): DocumentError {
  return documentError(`is larger than ${maxBytes / MIB} MiB`);
}

function notUtf8(bytes: Uint8Array): DocumentError {
  const offset = firstInvalid(bytes);
  const line = bytes.subarray(0, offset).reduce((n, byte) => (byte === NEWLINE ? n + 1 : n), 1);
  const byte = (bytes[offset] as number).toString(16).padStart(2, "0");
  return new DocumentError([
    { line, path: "", reason: `is not UTF-8: byte 0x${byte} at offset ${offset}` },
  ]);
}

/** The end of the longest valid prefix, by binary search. */
function firstInvalid(bytes: Uint8Array): number {
  let valid = 0;
  let invalid = bytes.length;
  while (valid < invalid) {
    const middle = (valid + invalid + 1) >> 1;
    if (textOf(bytes.subarray(0, backToStart(bytes, middle))) !== undefined) valid = middle;
    else invalid = middle - 1;
  }
  return backToStart(bytes, valid);
}

/** The start of the character that a prefix of this length would cut: a cut character is not invalid. */
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
