import { zlib } from "../../lib/runtime/lazy-builtins.ts";

/** A file of an archive. */
export interface ArchivedFile {
  readonly path: string;
  readonly text: string;
  /** The time of its last change, in milliseconds. */
  readonly time: number;
}

/** The maximum of 16 and 32 bit fields of a zip; larger values are in zip64 fields. */
const MAX_UINT16 = 0xffff;
const MAX_UINT32 = 0xffffffff;

/** Files of at most this size are compressed on the event loop, which takes about a millisecond. */
const MAX_SYNC_BYTES = 32 * 1024;

/** The first time of the MS-DOS format. */
const EARLIEST = Date.UTC(1980, 0, 1);

const DEFLATED = 8;
const UTF8_NAMES = 0x800;
/** Versions of the format: 2.0, and 4.5 for zip64. */
const VERSION = 20;
const VERSION_ZIP64 = 45;
/** Made on Unix, so that the mode of files is in the attributes. */
const MADE_BY = (3 << 8) | VERSION_ZIP64;
/** A regular file that everyone may read. */
const MODE = 0o100644 << 16;

/**
 * A zip archive of files as a stream. It keeps only the central directory in memory, some hundred bytes for each
 * file. (Of the libraries, yazl keeps each file until the end, and zip-stream takes several times as long:
 * see bench/rows/archive.ts.) Times are UTC, so that the same files give the same bytes everywhere.
 *
 * @param maxFiles the number of files from which on zip64 is used
 */
export async function* archiveOf(
  files: AsyncIterable<ArchivedFile>,
  maxFiles: number = MAX_UINT16,
): AsyncGenerator<Uint8Array> {
  // Strings: a small Buffer would keep the whole slab alive that it is a slice of.
  const directory: string[] = [];
  let offset = 0;
  for await (const { path, text, time } of files) {
    const content = Buffer.from(text);
    const compressed = await deflated(content);
    const name = Buffer.from(path);
    const common = Buffer.alloc(22);
    common.writeUInt16LE(UTF8_NAMES, 0);
    common.writeUInt16LE(DEFLATED, 2);
    writeTime(common, 4, Math.max(time, EARLIEST));
    common.writeUInt32LE(zlib().crc32(content), 8);
    common.writeUInt32LE(compressed.length, 12);
    common.writeUInt32LE(content.length, 16);
    common.writeUInt16LE(name.length, 20);
    directory.push(directoryEntry(common, name, offset).toString("latin1"));
    const head = Buffer.concat([
      numbers(["PK\x03\x04"], [VERSION, 2]),
      common,
      Buffer.alloc(2),
      name,
    ]);
    yield head;
    yield compressed;
    offset += head.length + compressed.length;
  }
  for (const entry of directory) yield Buffer.from(entry, "latin1");
  const size = directory.reduce((sum, entry) => sum + entry.length, 0);
  yield endOfDirectory(directory.length, size, offset, directory.length >= maxFiles);
}

/** A short file is compressed in less time than it would take to have a thread do it. */
async function deflated(content: Buffer): Promise<Buffer> {
  const options = { chunkSize: Math.max(64, content.length) };
  const { deflateRaw, deflateRawSync } = zlib();
  if (content.length <= MAX_SYNC_BYTES) return deflateRawSync(content, options);
  return new Promise((resolve, reject) => {
    deflateRaw(content, options, (error, found) => (error ? reject(error) : resolve(found)));
  });
}

function directoryEntry(common: Buffer, name: Buffer, offset: number): Buffer {
  const isFar = offset >= MAX_UINT32;
  const extra = isFar ? numbers([], [1, 2], [8, 2], [offset, 8]) : Buffer.alloc(0);
  return Buffer.concat([
    numbers(["PK\x01\x02"], [MADE_BY, 2], [isFar ? VERSION_ZIP64 : VERSION, 2]),
    common,
    numbers([], [extra.length, 2], [0, 2], [0, 2], [0, 2], [MODE >>> 0, 4]),
    numbers([], [isFar ? MAX_UINT32 : offset, 4]),
    name,
    extra,
  ]);
}

/** The end of central directory record: the number of files and the position of the directory. */
function endOfDirectory(
  count: number,
  size: number,
  offset: number,
  hasManyFiles: boolean,
): Buffer {
  const isLarge = hasManyFiles || size >= MAX_UINT32 || offset >= MAX_UINT32;
  const large = isLarge
    ? [
        numbers(["PK\x06\x06"], [44, 8], [MADE_BY, 2], [VERSION_ZIP64, 2], [0, 4], [0, 4]),
        numbers([], [count, 8], [count, 8], [size, 8], [offset, 8]),
        numbers(["PK\x06\x07"], [0, 4], [offset + size, 8], [1, 4]),
      ]
    : [];
  const files = hasManyFiles ? MAX_UINT16 : count;
  return Buffer.concat([
    ...large,
    numbers(["PK\x05\x06"], [0, 2], [0, 2], [files, 2], [files, 2]),
    numbers([], [Math.min(size, MAX_UINT32), 4], [Math.min(offset, MAX_UINT32), 4], [0, 2]),
  ]);
}

/** Little-endian fields after a signature. */
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

/** The MS-DOS format, with a resolution of two seconds. */
function writeTime(buffer: Buffer, at: number, ms: number): void {
  const date = new Date(ms);
  const [hours, minutes] = [date.getUTCHours(), date.getUTCMinutes()];
  buffer.writeUInt16LE((hours << 11) | (minutes << 5) | (date.getUTCSeconds() >> 1), at);
  const years = Math.min(date.getUTCFullYear() - 1980, 127);
  const day = (years << 9) | ((date.getUTCMonth() + 1) << 5) | date.getUTCDate();
  buffer.writeUInt16LE(day, at + 2);
}
