import { createHmac, timingSafeEqual } from "node:crypto";
import { AgeError, base64, fromBase64, hkdf, type Stanza } from "./stanza.ts";

const VERSION = "age-encryption.org/v1";
const MAC = "---";
/** The longest line of a body; a shorter one ends it. */
const COLUMNS = 64;
const MAX_HEADER_BYTES = 64 * 1024;

export function writeHeader(stanzas: readonly Stanza[], fileKey: Buffer): string {
  const lines = stanzas.flatMap(({ type, args, body }) => [
    `-> ${[type, ...args].join(" ")}`,
    ...linesOf(base64(body)),
  ]);
  const signed = [VERSION, ...lines, MAC].join("\n");
  return `${signed} ${base64(macOf(signed, fileKey))}\n`;
}

export interface Header {
  readonly stanzas: readonly Stanza[];
  /** Whether nothing in it was changed since it was written with this key. */
  isOf(fileKey: Buffer): boolean;
}

/** Reads a header and returns what follows it. */
export async function readHeader(
  source: AsyncIterator<Buffer>,
): Promise<{ header: Header; rest: Buffer }> {
  let read = Buffer.alloc(0);
  for (;;) {
    const end = endOf(read);
    if (end !== undefined)
      return { header: parse(read.subarray(0, end).toString("latin1")), rest: read.subarray(end) };
    if (read.length > MAX_HEADER_BYTES || !couldBeAge(read)) throw notAge();
    const { done, value } = await source.next();
    if (done) throw notAge();
    read = Buffer.concat([read, value]);
  }
}

function couldBeAge(read: Buffer): boolean {
  const length = Math.min(read.length, VERSION.length);
  return read.toString("latin1", 0, length) === VERSION.slice(0, length);
}

function endOf(read: Buffer): number | undefined {
  const mac = read.indexOf(`\n${MAC} `);
  const end = mac < 0 ? -1 : read.indexOf("\n", mac + 1);
  return end < 0 ? undefined : end + 1;
}

function parse(text: string): Header {
  const lines = text.slice(0, -1).split("\n");
  const mac = fromBase64(lines.at(-1)?.slice(MAC.length + 1) ?? "");
  if (lines[0] !== VERSION || mac === undefined) throw notAge();
  const stanzas: Stanza[] = [];
  for (let at = 1; at < lines.length - 1; ) {
    const [arrow, type, ...args] = (lines[at++] as string).split(" ");
    if (arrow !== "->" || type === undefined) throw notAge();
    let body = "";
    for (let line = ""; ; ) {
      line = lines[at++] ?? "";
      body += line;
      if (line.length < COLUMNS) break;
    }
    const bytes = fromBase64(body);
    if (bytes === undefined) throw notAge();
    stanzas.push({ type, args, body: bytes });
  }
  const signed = text.slice(0, text.lastIndexOf(`\n${MAC}`) + 1 + MAC.length);
  const isOf = (fileKey: Buffer) =>
    mac.length === 32 && timingSafeEqual(mac, macOf(signed, fileKey));
  return { stanzas, isOf };
}

function macOf(signed: string, fileKey: Buffer): Buffer {
  const key = hkdf(fileKey, Buffer.alloc(0), "header");
  return createHmac("sha256", key).update(signed, "latin1").digest();
}

/** Ends with a line that is not full. */
function linesOf(text: string): string[] {
  const lines: string[] = [];
  for (let at = 0; at <= text.length; at += COLUMNS) lines.push(text.slice(at, at + COLUMNS));
  return lines;
}

function notAge(): AgeError {
  return new AgeError("it is not a file that was encrypted with age");
}
