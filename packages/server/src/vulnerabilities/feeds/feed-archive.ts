import { zlib } from "../../lib/lazy-builtins.ts";

/** A file of an archive. */
export interface ArchivedFile {
  readonly path: string;
  readonly text: string;
  /** When it last changed, in milliseconds. */
  readonly time: number;
}

/** What the fields of a zip can hold; what is more goes into those of zip64. */
const MOST_16 = 0xffff;
const MOST_32 = 0xffffffff;

/** What a zip can say: its clock begins in 1980. */
const EARLIEST = Date.UTC(1980, 0, 1);

const DEFLATED = 8;
const NAMES_ARE_UTF8 = 0x800;
/** Versions 2.0 and 4.5 of the format, the second for zip64; made on a system with modes of files. */
const PLAIN = 20;
const LARGE = 45;
const MADE_BY = (3 << 8) | LARGE;
/** An ordinary file that everyone may read. */
const MODE = 0o100644 << 16;

/**
 * A zip archive of files, made as it is read: of what has gone out, only the directory at its end is
 * kept, some hundred bytes for each file. (Of the libraries, yazl keeps each
 * file until the end, and zip-stream takes several times as long: see bench/rows/archive.ts.) Times are UTC, so that
 * the same files are the same bytes everywhere.
 */
export async function* archiveOf(files: AsyncIterable<ArchivedFile>): AsyncGenerator<Uint8Array> {
  // As texts: a small buffer would keep the slab alive that it was cut from, with all that was in it.
  const directory: string[] = [];
  let offset = 0;
  for await (const { path, text, time } of files) {
    const content = Buffer.from(text);
    const packed = zlib().deflateRawSync(content, { chunkSize: Math.max(64, content.length) });
    const name = Buffer.from(path);
    const common = Buffer.alloc(22);
    common.writeUInt16LE(NAMES_ARE_UTF8, 0);
    common.writeUInt16LE(DEFLATED, 2);
    writeTime(common, 4, Math.max(time, EARLIEST));
    common.writeUInt32LE(zlib().crc32(content), 8);
    common.writeUInt32LE(packed.length, 12);
    common.writeUInt32LE(content.length, 16);
    common.writeUInt16LE(name.length, 20);
    directory.push(directoryEntry(common, name, offset).toString("latin1"));
    const head = Buffer.concat([
      numbers(["PK\x03\x04"], [PLAIN, 2]),
      common,
      Buffer.alloc(2),
      name,
    ]);
    yield head;
    yield packed;
    offset += head.length + packed.length;
  }
  for (const entry of directory) yield Buffer.from(entry, "latin1");
  const size = directory.reduce((sum, entry) => sum + entry.length, 0);
  yield ending(directory.length, size, offset);
}

function directoryEntry(common: Buffer, name: Buffer, offset: number): Buffer {
  const isFar = offset >= MOST_32;
  const extra = isFar ? numbers([], [1, 2], [8, 2], [offset, 8]) : Buffer.alloc(0);
  return Buffer.concat([
    numbers(["PK\x01\x02"], [MADE_BY, 2], [isFar ? LARGE : PLAIN, 2]),
    common,
    numbers([], [extra.length, 2], [0, 2], [0, 2], [0, 2], [MODE >>> 0, 4]),
    numbers([], [isFar ? MOST_32 : offset, 4]),
    name,
    extra,
  ]);
}

/** What closes an archive: how many files it has, and where its directory is. */
function ending(count: number, size: number, offset: number): Buffer {
  const isLarge = count >= MOST_16 || size >= MOST_32 || offset >= MOST_32;
  const large = isLarge
    ? [
        numbers(["PK\x06\x06"], [44, 8], [MADE_BY, 2], [LARGE, 2], [0, 4], [0, 4]),
        numbers([], [count, 8], [count, 8], [size, 8], [offset, 8]),
        numbers(["PK\x06\x07"], [0, 4], [offset + size, 8], [1, 4]),
      ]
    : [];
  const files = Math.min(count, MOST_16);
  return Buffer.concat([
    ...large,
    numbers(["PK\x05\x06"], [0, 2], [0, 2], [files, 2], [files, 2]),
    numbers([], [Math.min(size, MOST_32), 4], [Math.min(offset, MOST_32), 4], [0, 2]),
  ]);
}

/** Numbers of so many bytes each, little end first, after a signature. */
function numbers(
  [signature = ""]: readonly string[],
  ...fields: readonly (readonly [value: number, bytes: 2 | 4 | 8])[]
): Buffer {
  const written = fields.map(([value, bytes]) => {
    const field = Buffer.alloc(bytes);
    if (bytes === 8) field.writeBigUInt64LE(BigInt(value));
    else field.writeUIntLE(value, 0, bytes);
    return field;
  });
  return Buffer.concat([Buffer.from(signature, "latin1"), ...written]);
}

/** As MS-DOS did it: two seconds are one. */
function writeTime(buffer: Buffer, at: number, ms: number): void {
  const date = new Date(ms);
  const [hours, minutes] = [date.getUTCHours(), date.getUTCMinutes()];
  buffer.writeUInt16LE((hours << 11) | (minutes << 5) | (date.getUTCSeconds() >> 1), at);
  const years = Math.min(date.getUTCFullYear() - 1980, 127);
  const day = (years << 9) | ((date.getUTCMonth() + 1) << 5) | date.getUTCDate();
  buffer.writeUInt16LE(day, at + 2);
}
