import { pipeline } from "node:stream";
import { zlib } from "../../lib/runtime/lazy-builtins.ts";
import type { ArchivedFile } from "./archive.ts";

/** Headers are one block, and contents are padded to full blocks. */
const BLOCK_BYTES = 512;

/** The longest path of a ustar header; longer ones are in an extended header before it. */
const MAX_PATH_BYTES = 100;

const FILE = "0";
const EXTENDED_HEADER = "x";

/**
 * A gzip-compressed tar archive of files as a stream, in the pax format of POSIX.1-2001. Entries have no owner,
 * and the times of the files, so that the same files give the same bytes.
 */
export async function* tarGzipOf(files: AsyncIterable<ArchivedFile>): AsyncGenerator<Uint8Array> {
  const gzip = zlib().createGzip();
  // Errors of the files, and a canceled read, destroy both ends: the loop below ends with them.
  pipeline(tarOf(files), gzip, () => {});
  yield* gzip;
}

async function* tarOf(files: AsyncIterable<ArchivedFile>): AsyncGenerator<Uint8Array> {
  for await (const { path, text, time } of files) {
    const name = Buffer.from(path);
    if (name.length > MAX_PATH_BYTES) {
      yield entry(Buffer.from("pax"), EXTENDED_HEADER, extendedRecord("path", path), time);
    }
    yield entry(name.subarray(0, MAX_PATH_BYTES), FILE, Buffer.from(text), time);
  }
  yield Buffer.alloc(2 * BLOCK_BYTES);
}

function entry(name: Buffer, type: string, content: Buffer, time: number): Buffer {
  const header = Buffer.alloc(BLOCK_BYTES);
  const octal = (value: number, digits: number) => value.toString(8).padStart(digits, "0");
  name.copy(header);
  const seconds = Math.max(0, Math.floor(time / 1_000));
  const sizeAndTime = `${octal(content.length, 11)}\0${octal(seconds, 11)}\0`;
  header.write(`${octal(0o644, 7)}\0${octal(0, 7)}\0${octal(0, 7)}\0${sizeAndTime}`, 100);
  // The checksum counts itself as spaces.
  header.write(`        ${type}`, 148);
  header.write("ustar\x0000", 257);
  const checksum = header.reduce((sum, byte) => sum + byte, 0);
  header.write(`${octal(checksum, 6)}\0 `, 148);
  const padding = (BLOCK_BYTES - (content.length % BLOCK_BYTES)) % BLOCK_BYTES;
  return Buffer.concat([header, content, Buffer.alloc(padding)]);
}

/** A record of an extended header: its own length in bytes, key and value. */
function extendedRecord(key: string, value: string): Buffer {
  const rest = ` ${key}=${value}\n`;
  const bytes = Buffer.byteLength(rest);
  let length = bytes + String(bytes).length;
  length = bytes + String(length).length;
  return Buffer.from(`${length}${rest}`);
}
