import { FileProblem } from "../failure.ts";

/** Tags of a header that matter here. */
export const TAGS = {
  name: 1000,
  version: 1001,
  release: 1002,
  epoch: 1003,
  vendor: 1011,
  license: 1014,
  architecture: 1022,
  sourceRpm: 1044,
  folderOfFile: 1116,
  fileNames: 1117,
  folders: 1118,
  modularityLabel: 5096,
} as const;

const [INT32, STRING, STRING_ARRAY, I18N_STRING] = [4, 6, 8, 9];

/** The largest header, as rpm itself bounds it: the entries of its index, and its data. */
const MAX_ENTRIES = 0xffff;
const ENTRY_BYTES = 16;
const INTRO_BYTES = 8;

interface Entry {
  readonly type: number;
  readonly offset: number;
  readonly count: number;
}

/** A header of rpm: an index of tags, and the data that it points to. */
export class RpmHeader {
  readonly #entries = new Map<number, Entry>();
  readonly #data: Buffer;

  constructor(bytes: Buffer) {
    if (bytes.length < INTRO_BYTES) throw malformed("it is too short");
    const [count, length] = [bytes.readUInt32BE(0), bytes.readUInt32BE(4)];
    const start = INTRO_BYTES + count * ENTRY_BYTES;
    if (count > MAX_ENTRIES || start + length > bytes.length) throw malformed("wrong lengths");
    this.#data = bytes.subarray(start, start + length);
    for (let at = INTRO_BYTES; at < start; at += ENTRY_BYTES) {
      const entry = {
        type: bytes.readUInt32BE(at + 4),
        offset: bytes.readUInt32BE(at + 8),
        count: bytes.readUInt32BE(at + 12),
      };
      this.#entries.set(bytes.readUInt32BE(at), entry);
    }
  }

  /** A text, or the first of several; empty if there is none. */
  text(tag: number): string {
    const [first = ""] = this.texts(tag);
    return first;
  }

  *texts(tag: number): Generator<string> {
    const entry = this.#entries.get(tag);
    if (entry === undefined) return;
    const isArray = entry.type === STRING_ARRAY || entry.type === I18N_STRING;
    if (!isArray && entry.type !== STRING) throw malformed(`tag ${tag} is no text`);
    let at = entry.offset;
    for (let left = isArray ? entry.count : 1; left > 0; left--) {
      const end = this.#data.indexOf(0, at);
      if (at >= this.#data.length || end < 0) throw malformed(`tag ${tag} is outside of the data`);
      yield this.#data.toString("utf8", at, end);
      at = end + 1;
    }
  }

  /** The number at a position of a tag; undefined if there is none. */
  number(tag: number, index = 0): number | undefined {
    const entry = this.#entries.get(tag);
    if (entry === undefined || index >= entry.count) return undefined;
    const at = entry.offset + 4 * index;
    if (entry.type !== INT32 || at + 4 > this.#data.length) {
      throw malformed(`tag ${tag} is no number`);
    }
    return this.#data.readUInt32BE(at);
  }
}

function malformed(reason: string): FileProblem {
  return new FileProblem("malformed", `a header of rpm is malformed: ${reason}`);
}
