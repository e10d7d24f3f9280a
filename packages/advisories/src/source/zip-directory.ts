import { type DocumentError, documentError } from "../read/document-error.ts";
import type { RandomAccess } from "./bytes.ts";

/** An entry of the central directory of a zip file. */
export interface ZipEntry {
  readonly path: string;
  readonly isEncrypted: boolean;
  readonly isLink: boolean;
  readonly method: number;
  readonly checksum: number;
  readonly compressedSize: number;
  readonly size: number;
  /** The position of its local header. */
  readonly position: number;
  /** Modification time in milliseconds. */
  readonly time: number;
}

/** The position, size and number of entries of a central directory. */
export interface ZipDirectory {
  readonly position: number;
  readonly size: number;
  readonly count: number;
}

const END_SIGNATURE = 0x06054b50;
const END64_LOCATOR_SIGNATURE = 0x07064b50;
const END64_SIGNATURE = 0x06064b50;
const ENTRY_SIGNATURE = 0x02014b50;
const LOCAL_SIGNATURE = 0x04034b50;

const END_BYTES = 22;
const END64_LOCATOR_BYTES = 20;
const END64_BYTES = 56;
const ENTRY_BYTES = 46;
const LOCAL_BYTES = 30;
const MAX_COMMENT_BYTES = 0xffff;

/** Values of 32 and 16 bits whose real value is in a zip64 record. */
const IN_ZIP64 = 0xffffffff;
const COUNT_IN_ZIP64 = 0xffff;

/** @example throw invalidZip("bad signature") */
export function invalidZip(reason: string): DocumentError {
  return documentError(`is not a valid zip: ${reason}`);
}

/** A view of exactly `length` bytes; throws when the file ends before. */
async function viewAt(file: RandomAccess, position: number, length: number): Promise<DataView> {
  const bytes =
    position >= 0 && position + length <= file.size ? await file.read(position, length) : undefined;
  if (bytes?.length !== length) throw invalidZip("a position is outside of the file");
  return new DataView(bytes.buffer, bytes.byteOffset, length);
}

/**
 * The position of the content of an entry, behind its local header. Throws unless the file has all of it.
 *
 * @example const start = await contentPosition(file, entry);
 */
export async function contentPosition(
  file: RandomAccess,
  { position, compressedSize }: ZipEntry,
): Promise<number> {
  const local = await viewAt(file, position, LOCAL_BYTES);
  if (local.getUint32(0, true) !== LOCAL_SIGNATURE) throw invalidZip("bad local signature");
  const start = position + LOCAL_BYTES + local.getUint16(26, true) + local.getUint16(28, true);
  if (start + compressedSize > file.size) throw invalidZip("an entry is outside of the file");
  return start;
}

/** Finds the central directory from the end of the file. */
export async function readDirectory(file: RandomAccess): Promise<ZipDirectory> {
  const length = Math.min(file.size, END_BYTES + MAX_COMMENT_BYTES);
  const tail = await viewAt(file, file.size - length, length);
  const at = endRecordIn(tail);
  if (at === undefined) throw invalidZip("end of central directory record not found");
  if (tail.getUint16(at + 4, true) !== 0) throw invalidZip("it is one of several parts");
  const directory = {
    count: tail.getUint16(at + 10, true),
    size: tail.getUint32(at + 12, true),
    position: tail.getUint32(at + 16, true),
  };
  const isComplete =
    directory.count !== COUNT_IN_ZIP64 &&
    directory.size !== IN_ZIP64 &&
    directory.position !== IN_ZIP64;
  const end = file.size - length + at;
  const found = isComplete ? directory : await readDirectory64(file, end, directory);
  if (found.position + found.size > end) throw invalidZip("the central directory is too long");
  return found;
}

/** The position of the end record, whose comment must reach to the end of the file. */
function endRecordIn(tail: DataView): number | undefined {
  for (let at = tail.byteLength - END_BYTES; at >= 0; at--) {
    if (tail.getUint32(at, true) !== END_SIGNATURE) continue;
    if (at + END_BYTES + tail.getUint16(at + 20, true) === tail.byteLength) return at;
  }
  return undefined;
}

async function readDirectory64(
  file: RandomAccess,
  end: number,
  directory: ZipDirectory,
): Promise<ZipDirectory> {
  const locator = end - END64_LOCATOR_BYTES;
  if (locator < 0) return directory;
  const view = await viewAt(file, locator, END64_LOCATOR_BYTES);
  // Without a locator, the file really has the largest number of entries.
  if (view.getUint32(0, true) !== END64_LOCATOR_SIGNATURE) return directory;
  const record = await viewAt(file, safe(view.getBigUint64(8, true)), END64_BYTES);
  if (record.getUint32(0, true) !== END64_SIGNATURE) throw invalidZip("bad zip64 signature");
  return {
    count: safe(record.getBigUint64(32, true)),
    size: safe(record.getBigUint64(40, true)),
    position: safe(record.getBigUint64(48, true)),
  };
}

const BLOCK_BYTES = 256 * 1024;

/** The largest entry: its fixed fields, name, extra fields and comment. */
const MAX_ENTRY_BYTES = ENTRY_BYTES + 3 * 0xffff;

/** The entries of a central directory, read in blocks. */
export async function* entriesOf(
  file: RandomAccess,
  { position, size, count }: ZipDirectory,
): AsyncGenerator<ZipEntry> {
  const end = position + size;
  let start = position;
  let block: DataView = new DataView(new ArrayBuffer(0));
  for (let read = 0, next = position; read < count; read++) {
    if (next + MAX_ENTRY_BYTES > start + block.byteLength && start + block.byteLength < end) {
      start = next;
      block = await viewAt(file, start, Math.min(end - start, BLOCK_BYTES + MAX_ENTRY_BYTES));
    }
    const at = next - start;
    if (at + ENTRY_BYTES > block.byteLength) throw invalidZip("the central directory is truncated");
    if (block.getUint32(at, true) !== ENTRY_SIGNATURE) throw invalidZip("bad entry signature");
    const length =
      ENTRY_BYTES +
      block.getUint16(at + 28, true) +
      block.getUint16(at + 30, true) +
      block.getUint16(at + 32, true);
    if (at + length > block.byteLength) throw invalidZip("the central directory is truncated");
    yield entryAt(new DataView(block.buffer, block.byteOffset + at, length));
    next += length;
  }
}

function entryAt(view: DataView): ZipEntry {
  const nameLength = view.getUint16(28, true);
  const nameEnd = ENTRY_BYTES + nameLength;
  const extra = extraFields(view, nameEnd, nameEnd + view.getUint16(30, true));
  const [compressedSize, size, position] = sizesOf(view, extra);
  const flags = view.getUint16(8, true);
  const unixMode = view.getUint32(38, true) >>> 16;
  return {
    path: new TextDecoder().decode(
      new Uint8Array(view.buffer, view.byteOffset + ENTRY_BYTES, nameLength),
    ),
    // Encryption, strong encryption, masked headers.
    isEncrypted: (flags & 0x2041) !== 0,
    isLink: (unixMode & 0o170000) === 0o120000,
    method: view.getUint16(10, true),
    checksum: view.getUint32(16, true),
    compressedSize,
    size,
    position,
    time: timeOf(view, extra.get(UNIX_TIME_FIELD)),
  };
}

const ZIP64_FIELD = 0x0001;
const UNIX_TIME_FIELD = 0x5455;

function extraFields(view: DataView, start: number, end: number): Map<number, DataView> {
  const fields = new Map<number, DataView>();
  for (let at = start; at + 4 <= end; ) {
    const length = view.getUint16(at + 2, true);
    if (at + 4 + length > end) throw invalidZip("an extra field is too long");
    fields.set(
      view.getUint16(at, true),
      new DataView(view.buffer, view.byteOffset + at + 4, length),
    );
    at += 4 + length;
  }
  return fields;
}

/** Compressed size, size and position; the zip64 field has, in its own order, those that need more than 32 bits. */
function sizesOf(view: DataView, extra: ReadonlyMap<number, DataView>): [number, number, number] {
  const large = extra.get(ZIP64_FIELD);
  let at = 0;
  const resolve = (value: number): number => {
    if (value !== IN_ZIP64 || large === undefined) return value;
    if (at + 8 > large.byteLength) throw invalidZip("a zip64 field is too short");
    at += 8;
    return safe(large.getBigUint64(at - 8, true));
  };
  const size = resolve(view.getUint32(24, true));
  const compressedSize = resolve(view.getUint32(20, true));
  return [compressedSize, size, resolve(view.getUint32(42, true))];
}

function timeOf(view: DataView, unix: DataView | undefined): number {
  if (unix !== undefined && unix.byteLength >= 5 && unix.getUint8(0) & 1) {
    return unix.getInt32(1, true) * 1000;
  }
  const time = view.getUint16(12, true);
  const date = view.getUint16(14, true);
  const [year, month, day] = [1980 + (date >> 9), ((date >> 5) & 15) - 1, date & 31];
  return new Date(year, month, day, time >> 11, (time >> 5) & 63, (time & 31) * 2).getTime();
}

/** Numbers above 2^53 are outside of any file. */
function safe(value: bigint): number {
  return value > BigInt(Number.MAX_SAFE_INTEGER) ? Number.MAX_SAFE_INTEGER : Number(value);
}
