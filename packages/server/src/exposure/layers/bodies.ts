import type { Content } from "./contents.ts";
import { ELF_MAGIC } from "./databases/elf.ts";
import { GoProgram } from "./databases/go-program.ts";
import { FileProblem } from "./failure.ts";
import type { Body } from "./tar/tar-reader.ts";

/** Copies the content of an entry: chunks are much larger than most files. */
export class WholeFile implements Body {
  readonly #bytes: Buffer;
  readonly #onEnd: (bytes: Buffer) => void;
  #length = 0;

  constructor(size: number, onEnd: (bytes: Buffer) => void) {
    this.#bytes = Buffer.allocUnsafeSlow(size);
    this.#onEnd = onEnd;
  }

  write(part: Buffer): void {
    part.copy(this.#bytes, this.#length);
    this.#length += part.length;
  }

  end(): void {
    this.#onEnd(this.#bytes);
  }
}

/** An executable file: what is no ELF program is skipped. */
export class Executable implements Body {
  readonly #maxBytes: number;
  readonly #onEnd: (content: Content) => void;
  #head: Buffer | undefined = Buffer.alloc(0);
  #program: GoProgram | undefined;

  constructor(maxBytes: number, onEnd: (content: Content) => void) {
    this.#maxBytes = maxBytes;
    this.#onEnd = onEnd;
  }

  write(part: Buffer): void {
    if (this.#head === undefined) {
      this.#program?.write(part);
      return;
    }
    const head = this.#head.length === 0 ? part : Buffer.concat([this.#head, part]);
    if (head.length < ELF_MAGIC.length) this.#head = head;
    else {
      this.#head = undefined;
      const isElf = head.subarray(0, ELF_MAGIC.length).equals(ELF_MAGIC);
      if (isElf) this.#program = new GoProgram(this.#maxBytes);
      this.#program?.write(head);
    }
  }

  end(): void {
    if (this.#program === undefined) return;
    try {
      const packages = this.#program.end();
      if (packages.length > 0) this.#onEnd({ kind: "packages", packages, unknown: 0 });
    } catch (problem) {
      if (!(problem instanceof FileProblem)) throw problem;
      this.#onEnd({ kind: "problem", problem });
    }
  }
}
