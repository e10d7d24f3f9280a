import { DocumentError, type Path } from "./document-error.ts";
import { quoted } from "./document-node.ts";
import { READ_LIMITS, type ReadLimits } from "./limits.ts";
import type { Position, Tree } from "./tree.ts";

/**
 * Parses JSON. JSON.parse produces the value; a scan of the text rejects what it accepts (duplicate keys,
 * excessive nesting) and finds positions.
 *
 * @example readJson('{"id":"CVE-2026-0001"}').value // { id: "CVE-2026-0001" }
 */
export function readJson(text: string, limits: ReadLimits = READ_LIMITS): Tree {
  new Scanner(text, [], limits.depth).document();
  return {
    value: JSON.parse(text),
    positionsOf: (paths) => positionsAt(text, offsetsOf(text, paths, limits.depth)),
  };
}

/** The offsets of values; for a path that does not exist, of its last existing step. */
function offsetsOf(text: string, paths: readonly Path[], maxDepth: number): readonly number[] {
  const scanner = new Scanner(text, paths, maxDepth);
  scanner.document();
  return scanner.offsets;
}

/** One pass for all offsets: a document may have millions of lines. */
function positionsAt(text: string, offsets: readonly number[]): Position[] {
  const positions = new Map<number, Position>();
  let line = 1;
  let start = 0;
  for (const offset of [...new Set(offsets)].sort((a, b) => a - b)) {
    for (let end = text.indexOf("\n", start); end >= 0 && end < offset; ) {
      line++;
      start = end + 1;
      end = text.indexOf("\n", start);
    }
    positions.set(offset, { line, column: offset - start + 1 });
  }
  return offsets.map((offset) => positions.get(offset) as Position);
}

const SPACE = /[ \t\n\r]*/y;
const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;
const SCALAR = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y;

const FIRST_PRINTABLE = 0x20;
const BACKSLASH = 0x5c;

/** The indexes of the target paths that begin with the current path. */
type Candidates = readonly number[];

const NONE: Candidates = [];

class Scanner {
  readonly #text: string;
  readonly #targets: readonly Path[];
  #offset = 0;
  readonly #maxDepth: number;
  /** The offset of the last existing step of each target. */
  readonly offsets: number[];

  constructor(text: string, targets: readonly Path[], maxDepth: number) {
    this.#text = text;
    this.#targets = targets;
    this.#maxDepth = maxDepth;
    this.offsets = targets.map(() => 0);
  }

  document(): void {
    this.#space();
    this.#value(0, [...this.#targets.keys()]);
    this.#space();
    if (this.#offset < this.#text.length) throw this.#expected("the end of the document");
  }

  #value(depth: number, candidates: Candidates): void {
    for (const target of candidates) this.offsets[target] = this.#offset;
    if (depth > this.#maxDepth) {
      throw this.#error(`is nested more than ${this.#maxDepth} levels deep`);
    }
    const first = this.#text[this.#offset];
    if (first === "{") this.#object(depth, candidates);
    else if (first === "[") this.#list(depth, candidates);
    else if (first === '"') this.#string();
    else if (this.#match(SCALAR) === "") throw this.#expected("a value");
  }

  #object(depth: number, candidates: Candidates): void {
    const keys = new Set<string>();
    this.#offset++;
    this.#space();
    if (this.#take("}")) return;
    do {
      this.#space();
      const start = this.#offset;
      const key = JSON.parse(this.#string()) as string;
      if (keys.has(key)) {
        this.#offset = start;
        throw this.#error(`has the key ${quoted(key)} twice`);
      }
      keys.add(key);
      this.#space();
      if (!this.#take(":")) throw this.#expected('":"');
      this.#space();
      this.#value(depth + 1, this.#narrow(candidates, depth, key));
      this.#space();
    } while (this.#take(","));
    if (!this.#take("}")) throw this.#expected('"," or "}"');
  }

  #list(depth: number, candidates: Candidates): void {
    this.#offset++;
    this.#space();
    if (this.#take("]")) return;
    let index = 0;
    do {
      this.#space();
      this.#value(depth + 1, this.#narrow(candidates, depth, index++));
      this.#space();
    } while (this.#take(","));
    if (!this.#take("]")) throw this.#expected('"," or "]"');
  }

  #narrow(candidates: Candidates, depth: number, step: string | number): Candidates {
    if (candidates.length === 0) return NONE;
    return candidates.filter((target) => this.#targets[target]?.[depth] === step);
  }

  /** Skips a string and returns its source text. */
  #string(): string {
    const start = this.#offset;
    if (!this.#take('"')) throw this.#expected("a string");
    while (!this.#take('"')) {
      const code = this.#text.charCodeAt(this.#offset);
      if (Number.isNaN(code)) throw this.#expected("the end of a string");
      if (code < FIRST_PRINTABLE) throw this.#expected("no control character in a string");
      if (code !== BACKSLASH) this.#offset++;
      else if (this.#match(ESCAPE) === "") throw this.#expected("an escape such as \\n");
    }
    return this.#text.slice(start, this.#offset);
  }

  #space(): void {
    this.#match(SPACE);
  }

  #take(character: string): boolean {
    if (this.#text[this.#offset] !== character) return false;
    this.#offset++;
    return true;
  }

  #match(pattern: RegExp): string {
    pattern.lastIndex = this.#offset;
    const found = pattern.exec(this.#text)?.[0] ?? "";
    this.#offset += found.length;
    return found;
  }

  #expected(what: string): DocumentError {
    const end = this.#offset >= this.#text.length;
    return this.#error(`is not JSON: expected ${what}${end ? " before the document ends" : ""}`);
  }

  #error(reason: string): DocumentError {
    const [position] = positionsAt(this.#text, [this.#offset]);
    return new DocumentError([{ ...position, path: "", reason }]);
  }
}
