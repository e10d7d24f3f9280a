import { quoted } from "./at.ts";
import { READ_LIMITS } from "./limits.ts";
import type { Position, Tree } from "./tree.ts";
import { type Path, Unreadable } from "./unreadable.ts";

/**
 * Reads JSON. JSON.parse does the work; a walk over the text finds what it lets pass (keys that are
 * there twice, too much nesting) and where things are.
 *
 * @example readJson('{"id":"CVE-2026-0001"}').value // { id: "CVE-2026-0001" }
 */
export function readJson(text: string): Tree {
  new Walk(text, []).document();
  return {
    value: JSON.parse(text),
    positionsOf: (paths) => positionsAt(text, offsetsOf(text, paths)),
  };
}

/** Where values begin; of a path that is not there, the last step that is. */
function offsetsOf(text: string, paths: readonly Path[]): readonly number[] {
  const walk = new Walk(text, paths);
  walk.document();
  return walk.found;
}

/** One pass for all of them: a document may have millions of lines. */
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

const FIRST_PRINTED = 0x20;
const BACKSLASH = 0x5c;

/** The targets, by number, to which the steps so far lead. */
type Reached = readonly number[];

const NONE: Reached = [];

class Walk {
  readonly #text: string;
  readonly #targets: readonly Path[];
  #at = 0;
  /** How far it came on the way to each target. */
  readonly found: number[];

  constructor(text: string, targets: readonly Path[]) {
    this.#text = text;
    this.#targets = targets;
    this.found = targets.map(() => 0);
  }

  document(): void {
    this.#space();
    this.#value(0, [...this.#targets.keys()]);
    this.#space();
    if (this.#at < this.#text.length) throw this.#expected("the end of the document");
  }

  #value(depth: number, reached: Reached): void {
    for (const target of reached) this.found[target] = this.#at;
    if (depth > READ_LIMITS.depth) {
      throw this.#refuse(`is nested more than ${READ_LIMITS.depth} levels deep`);
    }
    const first = this.#text[this.#at];
    if (first === "{") this.#object(depth, reached);
    else if (first === "[") this.#list(depth, reached);
    else if (first === '"') this.#string();
    else if (this.#match(SCALAR) === "") throw this.#expected("a value");
  }

  #object(depth: number, reached: Reached): void {
    const keys = new Set<string>();
    this.#at++;
    this.#space();
    if (this.#take("}")) return;
    do {
      this.#space();
      const start = this.#at;
      const key = JSON.parse(this.#string()) as string;
      if (keys.has(key)) {
        this.#at = start;
        throw this.#refuse(`has the key ${quoted(key)} twice`);
      }
      keys.add(key);
      this.#space();
      if (!this.#take(":")) throw this.#expected('":"');
      this.#space();
      this.#value(depth + 1, this.#onward(reached, depth, key));
      this.#space();
    } while (this.#take(","));
    if (!this.#take("}")) throw this.#expected('"," or "}"');
  }

  #list(depth: number, reached: Reached): void {
    this.#at++;
    this.#space();
    if (this.#take("]")) return;
    let index = 0;
    do {
      this.#space();
      this.#value(depth + 1, this.#onward(reached, depth, index++));
      this.#space();
    } while (this.#take(","));
    if (!this.#take("]")) throw this.#expected('"," or "]"');
  }

  #onward(reached: Reached, depth: number, step: string | number): Reached {
    if (reached.length === 0) return NONE;
    return reached.filter((target) => this.#targets[target]?.[depth] === step);
  }

  /** Goes over a string, and answers it as it is written. */
  #string(): string {
    const start = this.#at;
    if (!this.#take('"')) throw this.#expected("a string");
    while (!this.#take('"')) {
      const code = this.#text.charCodeAt(this.#at);
      if (Number.isNaN(code)) throw this.#expected("the end of a string");
      if (code < FIRST_PRINTED) throw this.#expected("no control character in a string");
      if (code !== BACKSLASH) this.#at++;
      else if (this.#match(ESCAPE) === "") throw this.#expected("an escape such as \\n");
    }
    return this.#text.slice(start, this.#at);
  }

  #space(): void {
    this.#match(SPACE);
  }

  #take(character: string): boolean {
    if (this.#text[this.#at] !== character) return false;
    this.#at++;
    return true;
  }

  #match(pattern: RegExp): string {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text)?.[0] ?? "";
    this.#at += found.length;
    return found;
  }

  #expected(what: string): Unreadable {
    const end = this.#at >= this.#text.length;
    return this.#refuse(`is not JSON: expected ${what}${end ? " before the document ends" : ""}`);
  }

  #refuse(reason: string): Unreadable {
    const [position] = positionsAt(this.#text, [this.#at]);
    return new Unreadable([{ ...position, path: "", reason }]);
  }
}
