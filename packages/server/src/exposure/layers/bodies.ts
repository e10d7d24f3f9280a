import type { Content } from "./contents.ts";
import { ELF_MAGIC } from "./databases/elf.ts";
import { GoProgram } from "./databases/go-program.ts";
import { FileProblem } from "./failure.ts";
import type { Body } from "./tar/tar-reader.ts";

/** Copies the content of an entry: chunks are much larger than most files. */
export function wholeFile(size: number, onEnd: (bytes: Buffer) => void): Body {
  const bytes = Buffer.allocUnsafeSlow(size);
  let length = 0;
  return {
    write(part) {
      part.copy(bytes, length);
      length += part.length;
    },
    end: () => onEnd(bytes),
  };
}

/** An executable file: what is no ELF program is skipped. */
export function executable(maxBytes: number, onEnd: (content: Content) => void): Body {
  let head: Buffer | undefined = Buffer.alloc(0);
  let program: GoProgram | undefined;
  return {
    write(part) {
      if (head === undefined) {
        program?.write(part);
        return;
      }
      head = head.length === 0 ? part : Buffer.concat([head, part]);
      if (head.length < ELF_MAGIC.length) return;
      if (head.subarray(0, ELF_MAGIC.length).equals(ELF_MAGIC)) program = new GoProgram(maxBytes);
      program?.write(head);
      head = undefined;
    },
    end() {
      if (program === undefined) return;
      try {
        const packages = program.end();
        if (packages.length > 0) onEnd({ kind: "packages", packages, unknown: 0 });
      } catch (problem) {
        if (!(problem instanceof FileProblem)) throw problem;
        onEnd({ kind: "problem", problem });
      }
    },
  };
}
