import { type Unreadable, unreadable } from "../read/unreadable.ts";

const GIB = 1024 ** 3;
const MIB = 1024 ** 2;

/** What one archive may hold, whatever it says of itself. */
export const ARCHIVE_LIMITS = {
  entries: 1_000_000,
  unpackedBytes: 8 * GIB,
  /** Text of advisories packs to a twentieth; bombs to a thousandth, which small ones may. */
  ratio: 200,
  ratioFrom: 64 * MIB,
} as const;

/** Counts what comes out of an archive, and says when it is too much. */
export class Budget {
  /** Bytes that went in so far. */
  packed = 0;
  #unpacked = 0;
  #entries = 0;

  constructor(packed = 0) {
    this.packed = packed;
  }

  /** Refuses when what came out is too much. */
  unpack(bytes: number): void {
    this.#unpacked += bytes;
    const { unpackedBytes, ratio, ratioFrom } = ARCHIVE_LIMITS;
    if (this.#unpacked > unpackedBytes) throw tooMuch(`more than ${unpackedBytes / GIB} GiB`);
    if (this.#unpacked > ratioFrom && this.#unpacked > this.packed * ratio) {
      throw tooMuch(`more than ${ratio} times its size`);
    }
  }

  entry(): void {
    if (++this.#entries > ARCHIVE_LIMITS.entries) {
      throw unreadable(`holds more than ${ARCHIVE_LIMITS.entries} files`);
    }
  }
}

function tooMuch(what: string): Unreadable {
  return unreadable(`unpacks to ${what}: what follows was not read`);
}
