export const ELF_MAGIC = Buffer.from("\x7fELF", "latin1");

/** Reads bytes of a program at a position; undefined if they are outside of it. */
export type ReadAt = (position: number, length: number) => Buffer | undefined;

/** A part of a program that is loaded at an address. */
interface Segment {
  readonly offset: number;
  readonly address: number;
  readonly size: number;
}

const IS_64 = 2;
const IS_BIG_ENDIAN = 2;
const PT_LOAD = 1;
const HEADER_BYTES = 64;

/** Go programs have some ten. */
const MAX_SEGMENTS = 256;

/** The memory of an ELF program, of which its file has the segments that are loaded. */
export class ElfMemory {
  readonly #readAt: ReadAt;
  readonly #is64: boolean;
  readonly #isBigEndian: boolean;
  readonly #segments: readonly Segment[];

  constructor(readAt: ReadAt) {
    const header = readAt(0, HEADER_BYTES) ?? Buffer.alloc(HEADER_BYTES);
    this.#readAt = readAt;
    this.#is64 = header[4] === IS_64;
    this.#isBigEndian = header[5] === IS_BIG_ENDIAN;
    this.#segments = this.#segmentsOf(header);
  }

  /** The bytes at an address. */
  read(address: number, length: number): Buffer | undefined {
    const segment = this.#segments.find(
      (each) => address >= each.address && address + length <= each.address + each.size,
    );
    return segment && this.#readAt(segment.offset + address - segment.address, length);
  }

  /** The number of 4 or 8 bytes at a position; `NaN` outside of the bytes. */
  number(bytes: Buffer | undefined, at: number, length: number): number {
    if (bytes === undefined || at + length > bytes.length) return Number.NaN;
    if (length === 2) return this.#isBigEndian ? bytes.readUInt16BE(at) : bytes.readUInt16LE(at);
    if (length === 4) return this.#isBigEndian ? bytes.readUInt32BE(at) : bytes.readUInt32LE(at);
    return Number(this.#isBigEndian ? bytes.readBigUInt64BE(at) : bytes.readBigUInt64LE(at));
  }

  #segmentsOf(header: Buffer): Segment[] {
    const [start, entryBytes, count] = this.#is64
      ? [this.number(header, 32, 8), this.number(header, 54, 2), this.number(header, 56, 2)]
      : [this.number(header, 28, 4), this.number(header, 42, 2), this.number(header, 44, 2)];
    if (count > MAX_SEGMENTS) return [];
    return Array.from({ length: count }, (_, index) =>
      this.#readAt(start + index * entryBytes, entryBytes),
    ).flatMap((entry) => {
      if (this.number(entry, 0, 4) !== PT_LOAD) return [];
      const [offset, address, size] = this.#is64
        ? [this.number(entry, 8, 8), this.number(entry, 16, 8), this.number(entry, 32, 8)]
        : [this.number(entry, 4, 4), this.number(entry, 8, 4), this.number(entry, 16, 4)];
      return [{ offset, address, size }];
    });
  }
}
