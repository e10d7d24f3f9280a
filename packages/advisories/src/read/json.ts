import { quoted } from "./at.ts";
import { READ_LIMITS } from "./limits.ts";
import type { Tree } from "./tree.ts";
import { type Path, Unreadable } from "./unreadable.ts";

/**
 * Reads JSON. JSON.parse does the work; a walk over the text finds what it lets pass (keys that are
 * there twice, too much nesting) and where things are.
 *
 * @example readJson('{"id":"CVE-2026-0001"}').value // { id: "CVE-2026-0001" }
 */
export function readJson(text: string): Tree {
  new Walk(text, undefined).document();
  return {
    value: JSON.parse(text),
    positionOf: (path) => positionAt(text, offsetOf(text, path)),
  };
}

/** Where a value begins; of a path that is not there, the last step that is. */
function offsetOf(text: string, path: Path): number {
  const walk = new Walk(text, path);
  walk.document();
  return walk.found;
}

/** @example positionAt("{\n]", 2) // { line: 2, column: 1 } */
export function positionAt(text: string, offset: number): { line: number; column: number } {
  const before = text.slice(0, offset);
  const line = before.split("\n").length;
  return { line, column: offset - before.lastIndexOf("\n") };
}

const SPACE = /[ \t\n\r]*/y;
const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;
const SCALAR = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y;

const FIRST_PRINTED = 0x20;
const BACKSLASH = 0x5c;

class Walk {
  readonly #text: string;
  readonly #target: Path | undefined;
  #at = 0;
  found = 0;

  constructor(text: string, target: Path | undefined) {
    this.#text = text;
    this.#target = target;
  }

  document(): void {
    this.#space();
    this.#value(0, this.#target === undefined ? -1 : 0);
    this.#space();
    if (this.#at < this.#text.length) throw this.#expected("the end of the document");
  }

  /** `reached`: how many steps of the wanted path led here, -1 when others did. */
  #value(depth: number, reached: number): void {
    if (reached >= 0) this.found = this.#at;
    if (depth > READ_LIMITS.depth) {
      throw this.#refuse(`is nested more than ${READ_LIMITS.depth} levels deep`);
    }
    const first = this.#text[this.#at];
    if (first === "{") this.#object(depth, reached);
    else if (first === "[") this.#list(depth, reached);
    else if (first === '"') this.#string();
    else if (this.#match(SCALAR) === "") throw this.#expected("a value");
  }

  #object(depth: number, reached: number): void {
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
      this.#value(depth + 1, this.#onward(reached, key));
      this.#space();
    } while (this.#take(","));
    if (!this.#take("}")) throw this.#expected('"," or "}"');
  }

  #list(depth: number, reached: number): void {
    this.#at++;
    this.#space();
    if (this.#take("]")) return;
    let index = 0;
    do {
      this.#space();
      this.#value(depth + 1, this.#onward(reached, index++));
      this.#space();
    } while (this.#take(","));
    if (!this.#take("]")) throw this.#expected('"," or "]"');
  }

  #onward(reached: number, step: string | number): number {
    return reached >= 0 && this.#target?.[reached] === step ? reached + 1 : -1;
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
    return new Unreadable([{ ...positionAt(this.#text, this.#at), path: "", reason }]);
  }
}
