import { type DocumentError, documentError } from "../read/document-error.ts";
import { READ_LIMITS } from "../read/limits.ts";

const GIB = 1024 ** 3;
const MIB = 1024 ** 2;

/** Size limits of a source, independent of the sizes that an archive claims. */
export const SOURCE_LIMITS = {
  /** Bytes of one document. */
  documentBytes: READ_LIMITS.documentBytes,
  /** Entries of an archive. */
  entries: 1_000_000,
  /** Bytes that an archive expands to. */
  expandedBytes: 8 * GIB,
  /** Advisories compress to a twentieth; decompression bombs to a thousandth. */
  expansionRatio: 200,
  /** Smaller archives may have any ratio. */
  ratioCheckedFrom: 64 * MIB,
} as const;

export type SourceLimits = Readonly<Record<keyof typeof SOURCE_LIMITS, number>>;

/** Counts entries and expanded bytes of an archive, and throws when they exceed the limits. */
export class Budget {
  readonly #limits: SourceLimits;
  /** Compressed bytes so far. */
  compressed: number;
  #expanded = 0;
  #entries = 0;

  constructor(limits: SourceLimits, compressed = 0) {
    this.#limits = limits;
    this.compressed = compressed;
  }

  expand(bytes: number): void {
    this.#expanded += bytes;
    const { expandedBytes, expansionRatio, ratioCheckedFrom } = this.#limits;
    if (this.#expanded > expandedBytes) throw tooMuch(`${expandedBytes / GIB} GiB`);
    if (this.#expanded > ratioCheckedFrom && this.#expanded > this.compressed * expansionRatio) {
      throw tooMuch(`${expansionRatio} times its size`);
    }
  }

  entry(): void {
    const { entries } = this.#limits;
    if (++this.#entries > entries) throw documentError(`has more than ${entries} files`);
  }
}

function tooMuch(bound: string): DocumentError {
  return documentError(`expands to more than ${bound}; the rest was not read`);
}
