import { LayerFailure } from "../failure.ts";

export const BLOCK_BYTES = 512;

export type EntryType =
  | "file"
  | "link"
  | "symlink"
  | "directory"
  | "device"
  | "sparse"
  | "other"
  | "pax"
  | "global-pax"
  | "long-path"
  | "long-link";

/** The fields of a header block that matter here. */
export interface TarHeader {
  readonly type: EntryType;
  readonly path: string;
  readonly link: string;
  readonly size: number;
  readonly mode: number;
  /** Whether blocks with the map of an old GNU sparse file follow. */
  readonly isExtended: boolean;
}

const TYPES: Readonly<Record<string, EntryType>> = {
  "\0": "file",
  "0": "file",
  "7": "file",
  "1": "link",
  "2": "symlink",
  "3": "device",
  "4": "device",
  "6": "device",
  "5": "directory",
  S: "sparse",
  x: "pax",
  g: "global-pax",
  L: "long-path",
  K: "long-link",
};

/** Types that have no content, whatever their size says: devices, pipes, links and directories. */
const WITHOUT_CONTENT: ReadonlySet<string> = new Set(["1", "2", "3", "4", "5", "6"]);

const [MODE, SIZE, CHECKSUM, TYPE, LINK, MAGIC, PREFIX] = [100, 124, 148, 156, 157, 257, 345];

/** Parses a header block; undefined for a block of zeros, two of which end an archive. */
export function parseHeader(block: Buffer): TarHeader | undefined {
  if (!hasChecksum(block)) {
    if (isZero(block)) return undefined;
    throw new LayerFailure("not_tar", "a header has a wrong checksum");
  }
  const flag = String.fromCharCode(block[TYPE] as number);
  const name = textAt(block, 0, MODE);
  const isUstar = block.toString("latin1", MAGIC, MAGIC + 6) === "ustar\0";
  const prefix = isUstar ? textAt(block, PREFIX, PREFIX + 155) : "";
  const path = prefix === "" ? name : `${prefix}/${name}`;
  const type = TYPES[flag] ?? "other";
  return {
    // Before POSIX, directories were files whose names end with a slash.
    type: type === "file" && path.endsWith("/") ? "directory" : type,
    path,
    link: type === "link" || type === "symlink" ? textAt(block, LINK, MAGIC) : "",
    size: WITHOUT_CONTENT.has(flag) ? 0 : sizeOf(block),
    mode: octalAt(block, MODE, MODE + 8) ?? 0,
    isExtended: flag === "S" && block[482] !== 0,
  };
}

/** Up to the first NUL. */
function textAt(block: Buffer, start: number, end: number): string {
  const zero = block.indexOf(0, start);
  return block.toString("utf8", start, zero < 0 || zero > end ? end : zero);
}

/** Octal digits between spaces and NULs; undefined for anything else. */
function octalAt(block: Buffer, start: number, end: number): number | undefined {
  let value: number | undefined;
  for (let at = start; at < end; at++) {
    const byte = block[at] as number;
    if (byte >= 48 && byte < 56) value = (value ?? 0) * 8 + byte - 48;
    else if (byte !== 32 && byte !== 0) return undefined;
    else if (value !== undefined) break;
  }
  return value;
}

/** GNU writes sizes above 8 GiB in base 256, which the highest bit tells. */
function sizeOf(block: Buffer): number {
  const isBinary = ((block[SIZE] as number) & 0x80) !== 0;
  const isNegative = block[SIZE] === 0xff;
  const binary = () => Number(block.readBigUInt64BE(SIZE + 4));
  const size = isBinary ? binary() : (octalAt(block, SIZE, SIZE + 12) ?? 0);
  if (isNegative || !Number.isSafeInteger(size)) {
    throw new LayerFailure("not_tar", "a header has an invalid size");
  }
  return size;
}

/** The sum of all bytes, with spaces for the sum itself. Some old programs have added signed bytes. */
function hasChecksum(block: Buffer): boolean {
  const expected = octalAt(block, CHECKSUM, TYPE);
  let sum = 8 * 32;
  let high = 0;
  for (let at = 0; at < BLOCK_BYTES; at++) {
    if (at === CHECKSUM) at = TYPE;
    const byte = block[at] as number;
    sum += byte;
    high += byte >> 7;
  }
  return expected !== undefined && (expected === sum || expected === sum - 256 * high);
}

function isZero(block: Buffer): boolean {
  return block.every((byte) => byte === 0);
}
