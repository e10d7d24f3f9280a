const MARK = "0123456789abcdef";

/** Lines of module information, between the marks that Go writes. */
export function markedLines(lines: string): Buffer {
  return Buffer.from(`${MARK}${lines}${MARK}`);
}

const BASE = 0x400000;
const NOTE_AT = 0x100;
const STRINGS_AT = 0x1000;
const NOTE = Buffer.from("\x04\0\0\0\x04\0\0\0\x04\0\0\0Go\0\0build", "latin1");

export interface GoProgramOptions {
  readonly goVersion: string;
  readonly lines: string;
  /** Before Go 1.18: pointers to strings. */
  readonly hasPointers?: boolean;
  readonly is32?: boolean;
  readonly isBigEndian?: boolean;
  /** Bytes before the information: a multiple of 16. */
  readonly infoAt?: number;
}

/** An ELF program with one segment that begins with the file, laid out as the Go linker does. */
export function goProgram(options: GoProgramOptions): Buffer {
  const { is32 = false, isBigEndian = false, infoAt = 0x4000 } = options;
  const program = Buffer.alloc(infoAt + 0x3000);
  const size = is32 ? 4 : 8;
  const put = (at: number, value: number, length: number) => {
    if (length === 8 && isBigEndian) program.writeBigUInt64BE(BigInt(value), at);
    else if (length === 8) program.writeBigUInt64LE(BigInt(value), at);
    else if (isBigEndian) program.writeUIntBE(value, at, length);
    else program.writeUIntLE(value, at, length);
  };
  program.write("\x7fELF", "latin1");
  program[4] = is32 ? 1 : 2;
  program[5] = isBigEndian ? 2 : 1;
  put(is32 ? 28 : 32, 64, size);
  put(is32 ? 42 : 54, is32 ? 32 : 56, 2);
  put(is32 ? 44 : 56, 1, 2);
  put(64, 1, 4);
  put(64 + size, 0, size);
  put(64 + 2 * size, BASE, size);
  put(64 + 4 * size, program.length, size);
  (isBigEndian ? swapped(NOTE) : NOTE).copy(program, NOTE_AT);
  program.write("\xff Go buildinf:", infoAt, "latin1");
  const strings = [Buffer.from(options.goVersion), markedLines(options.lines)];
  if (!options.hasPointers) {
    program[infoAt + 15] = 2;
    Buffer.concat(strings.map(withLength)).copy(program, infoAt + 32);
    return program;
  }
  program[infoAt + 14] = size;
  program[infoAt + 15] = isBigEndian ? 1 : 0;
  for (const [index, text] of strings.entries()) {
    const [at, header] = [STRINGS_AT + index * 0x100, infoAt + 0x1000 + index * 0x40];
    text.copy(program, at);
    put(infoAt + 16 + index * size, BASE + header, size);
    put(header, BASE + at, size);
    put(header + size, text.length, size);
  }
  return program;
}

function swapped(bytes: Buffer): Buffer {
  return Buffer.concat([Buffer.from(bytes.subarray(0, 12)).swap32(), bytes.subarray(12)]);
}

function withLength(bytes: Buffer): Buffer {
  const groups: number[] = [];
  for (let left = bytes.length; ; left >>= 7) {
    if (left < 0x80) return Buffer.concat([Buffer.from([...groups, left]), bytes]);
    groups.push((left & 0x7f) | 0x80);
  }
}
