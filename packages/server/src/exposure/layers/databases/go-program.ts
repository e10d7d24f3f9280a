import { FileProblem } from "../failure.ts";
import {
  ALIGNMENT,
  examineInfo,
  followPointers,
  type GoBuildInfo,
  MAGIC,
  MAX_INFO_BYTES,
} from "./go-build-info.ts";
import { goModules } from "./go-modules.ts";
import type { LanguagePackage } from "./language-package.ts";

/** A note that the Go linker writes near the start, in both byte orders. */
const NOTES = ["\x04\0\0\0Go\0\0", "\0\0\0\x04Go\0\0"].map((text) => Buffer.from(text, "latin1"));
const NOTE_WITHIN_BYTES = 64 * 1024;

/**
 * Finds the build information of Go in an ELF program that passes by. Only programs with the note of Go are kept, until
 * the information was found: that of Go before 1.18 points to strings before it.
 */
export class GoProgram {
  readonly #maxBytes: number;
  /** The program from its start; undefined once it is not needed. */
  #program: Buffer[] | undefined = [];
  #programBytes = 0;
  #hasNote = false;
  /** The latest bytes: from an occurrence of the magic number, or too short to contain one. */
  #window: Buffer = Buffer.alloc(0);
  #windowParts: Buffer[] = [];
  #windowBytes = 0;
  #position = 0;
  #isCandidate = false;
  #info: GoBuildInfo | undefined;
  #pointers: Buffer | undefined;

  /** @param maxBytes The largest program that is kept. */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  write(part: Buffer): void {
    if (this.#info !== undefined) return;
    this.#keep(part);
    if (this.#pointers !== undefined) return;
    if (!this.#isCandidate && !this.#mayContain(part)) {
      this.#skip(part);
      return;
    }
    this.#windowParts.push(part);
    this.#windowBytes += part.length;
    if (!this.#isCandidate || this.#windowBytes >= MAX_INFO_BYTES) this.#scan(false);
  }

  /** The modules of the program; none if it is not of Go. */
  end(): LanguagePackage[] {
    if (this.#info === undefined && this.#pointers === undefined) this.#scan(true);
    if (this.#pointers !== undefined) this.#info = this.#follow(this.#pointers);
    this.#program = undefined;
    return this.#info === undefined ? [] : goModules(this.#info.goVersion, this.#info.modules);
  }

  /** Whether the magic number is in a part, or begins in what was read before it. */
  #mayContain(part: Buffer): boolean {
    const edge = Buffer.concat([this.#window, part.subarray(0, MAGIC.length - 1)]);
    return edge.includes(MAGIC) || part.includes(MAGIC);
  }

  /** Keeps of a part only what the magic number can begin with: most parts are not copied. */
  #skip(part: Buffer): void {
    const [window, kept] = [this.#window, MAGIC.length - 1];
    const isLong = part.length >= kept;
    const last = isLong ? part.subarray(-kept) : Buffer.concat([window, part]).subarray(-kept);
    this.#position += window.length + part.length - last.length;
    this.#window = Buffer.from(last);
    this.#windowBytes = last.length;
  }

  #keep(part: Buffer): void {
    if (this.#program === undefined) return;
    this.#program.push(part);
    this.#programBytes += part.length;
    if (!this.#hasNote && this.#programBytes >= NOTE_WITHIN_BYTES) {
      const start = Buffer.concat(this.#program).subarray(0, NOTE_WITHIN_BYTES);
      this.#hasNote = NOTES.some((note) => start.includes(note));
      if (!this.#hasNote) this.#program = undefined;
    }
    if (this.#programBytes > this.#maxBytes) this.#program = undefined;
  }

  /** Examines each occurrence of the magic number, as soon as all that can belong to it was read. */
  #scan(isLast: boolean): void {
    const parts = [this.#window, ...this.#windowParts].filter(({ length }) => length > 0);
    let window = parts.length === 1 ? (parts[0] as Buffer) : Buffer.concat(parts);
    this.#windowParts = [];
    for (;;) {
      const at = this.#nextIn(window);
      this.#isCandidate = at !== undefined;
      const end = at ?? Math.max(0, window.length - MAGIC.length + 1);
      window = window.subarray(end);
      this.#position += end;
      if (!this.#isCandidate || !(isLast || window.length >= MAX_INFO_BYTES)) break;
      const found = examineInfo(window);
      if (found === "pointers") this.#pointers = Buffer.from(window.subarray(0, 64));
      else this.#info = found;
      if (found !== undefined) {
        if (found !== "pointers") this.#program = undefined;
        window = Buffer.alloc(0);
        break;
      }
      window = window.subarray(ALIGNMENT);
      this.#position += ALIGNMENT;
    }
    this.#window = this.#isCandidate ? window : Buffer.from(window);
    this.#windowBytes = window.length;
  }

  /** The first aligned occurrence of the magic number. */
  #nextIn(window: Buffer): number | undefined {
    for (let from = 0; ; ) {
      const at = window.indexOf(MAGIC, from);
      if (at < 0) return undefined;
      if ((this.#position + at) % ALIGNMENT === 0) return at;
      from = at + 1;
    }
  }

  #follow(pointers: Buffer): GoBuildInfo | undefined {
    const parts = this.#program;
    if (parts === undefined) {
      throw new FileProblem("file_too_large", "a program of Go before 1.18 is too large");
    }
    return followPointers(pointers, (position, length) => sliceOf(parts, position, length));
  }
}

function sliceOf(parts: readonly Buffer[], position: number, length: number): Buffer | undefined {
  const slices: Buffer[] = [];
  let [at, left] = [position, length];
  for (const part of parts) {
    if (at < part.length && left > 0) {
      const slice = part.subarray(at, at + left);
      slices.push(slice);
      left -= slice.length;
      at += slice.length;
    }
    at -= part.length;
  }
  return left === 0 && position >= 0 ? Buffer.concat(slices) : undefined;
}
