import { ElfMemory, type ReadAt } from "./elf.ts";

/** The strings of the build information: the version of Go, and lines about modules. */
export interface GoBuildInfo {
  readonly goVersion: string;
  readonly modules: string;
}

export const MAGIC = Buffer.from("\xff Go buildinf:", "latin1");

/** The information begins at a multiple of it. */
export const ALIGNMENT = 16;

/** Fields after the magic number; inline strings begin after `HEADER_BYTES`, pointers at `POINTERS`. */
const [POINTER_SIZE, FLAGS, POINTERS, HEADER_BYTES] = [14, 15, 16, 32];

/** Since Go 1.18, the strings are here. */
const IS_INLINE = 2;

/** The longest string: that of large programs has some 100 KiB. */
const MAX_STRING_BYTES = 1024 * 1024;

/** The largest inline information. */
export const MAX_INFO_BYTES = HEADER_BYTES + 2 * (MAX_STRING_BYTES + 4);

/** Module lines are between two marks of this length. */
const MARK_BYTES = 16;

const VERSION = /^(?:go\d|devel )/;

/** The build information at an occurrence of the magic number, if any: `pointers` need the whole program. */
export function examineInfo(bytes: Buffer): GoBuildInfo | "pointers" | undefined {
  if (bytes.length < HEADER_BYTES) return undefined;
  const flags = bytes[FLAGS] as number;
  if ((flags & IS_INLINE) === 0) {
    const size = bytes[POINTER_SIZE];
    return flags <= 1 && (size === 4 || size === 8) ? "pointers" : undefined;
  }
  const version = inlineString(bytes, HEADER_BYTES);
  const modules = version && inlineString(bytes, version.end);
  return version && infoOf(version.bytes, modules?.bytes);
}

/** Follows the pointers of the information of an old Go. */
export function followPointers(info: Buffer, readAt: ReadAt): GoBuildInfo | undefined {
  const memory = new ElfMemory(readAt);
  const size = info[POINTER_SIZE] as number;
  const stringAt = (at: number): Buffer | undefined => {
    const header = memory.read(memory.number(info, at, size), 2 * size);
    const length = memory.number(header, size, size);
    return length <= MAX_STRING_BYTES
      ? memory.read(memory.number(header, 0, size), length)
      : undefined;
  };
  const version = stringAt(POINTERS);
  return version && infoOf(version, stringAt(POINTERS + size));
}

function infoOf(version: Buffer, modules: Buffer = Buffer.alloc(0)): GoBuildInfo | undefined {
  const goVersion = version.toString("utf8");
  if (!VERSION.test(goVersion)) return undefined;
  const end = modules.length - MARK_BYTES;
  const isMarked = end > MARK_BYTES && modules[end - 1] === 10;
  return { goVersion, modules: isMarked ? modules.toString("utf8", MARK_BYTES, end) : "" };
}

/** A string after its length, which is written in groups of 7 bits. */
function inlineString(bytes: Buffer, at: number): { bytes: Buffer; end: number } | undefined {
  let length = 0;
  for (let shift = 0; shift <= 21; shift += 7) {
    const byte = bytes[at++];
    if (byte === undefined) return undefined;
    length |= (byte & 0x7f) << shift;
    if (byte < 0x80) {
      const end = at + length;
      const isValid = length <= MAX_STRING_BYTES && end <= bytes.length;
      return isValid ? { bytes: bytes.subarray(at, end), end } : undefined;
    }
  }
  return undefined;
}
