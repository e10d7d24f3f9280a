import type { JsonValue } from "@bufbuild/protobuf";
import { invalidArgument } from "../lib/errors.ts";

/** Nesting of objects and lists: deeper than any message of the contract. Bounds recursion. */
const MAX_DEPTH = 100;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_LIST = 0x5b;
const CLOSE_LIST = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const FIRST_PRINTABLE = 0x20;

const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const HEX_ESCAPE = /\\u[0-9a-fA-F]{4}/y;
const ESCAPED = new Set([...'"\\/bfnrt'].map((character) => character.charCodeAt(0)));

const LITERALS: readonly (readonly [text: string, value: JsonValue])[] = [
  ["true", true],
  ["false", false],
  ["null", null],
];

/**
 * A number that may not be exact as a JavaScript number: with more than 15 digits, or an exponent. It also matches
 * some strings, which costs time only.
 */
const INEXACT = /(?:^|[:[,])\s*-?\d[\d.]*(?:\d{14}|[eE])/;

/** Sign, digits before and after the point, exponent. */
const NUMBER_PARTS = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;

/** More digits than a 64-bit integer has. */
const MAX_DIGITS = 40;

/** Walks through a JSON text (RFC 8259), and builds only the requested values. Throws SyntaxError. */
export class JsonScanner {
  readonly #text: string;
  #at = 0;
  #depth = 0;

  constructor(text: string) {
    this.#text = text;
    this.#skipSpace();
  }

  isObject(): boolean {
    return this.#next === OPEN_OBJECT;
  }

  isArray(): boolean {
    return this.#next === OPEN_LIST;
  }

  /** Walks through an object. `member` consumes the value of each key. */
  object(member: (key: string) => void): void {
    this.#nested(CLOSE_OBJECT, () => {
      const start = this.#at;
      this.#skipString();
      const quoted = this.#text.slice(start, this.#at);
      const key = quoted.includes("\\") ? (JSON.parse(quoted) as string) : quoted.slice(1, -1);
      this.#skipSpace();
      this.#expect(COLON);
      member(key);
    });
  }

  /** Walks through a list. `entry` consumes each entry. */
  array(entry: () => void): void {
    this.#nested(CLOSE_LIST, entry);
  }

  /** A text, number, boolean or null. Objects and lists are skipped, and empty: no scalar can be read from them. */
  scalar(): JsonValue {
    const start = this.#at;
    const first = this.#next;
    const literal = this.#skipValue();
    if (first === OPEN_OBJECT) return {};
    if (first === OPEN_LIST) return [];
    if (literal !== undefined) return literal;
    const text = this.#text.slice(start, this.#end);
    // JSON.parse copies: a slice would keep the whole text in memory.
    return first === QUOTE ? (JSON.parse(text) as string) : numberOf(text);
  }

  /** A value of any kind. */
  anyValue(): JsonValue {
    const start = this.#at;
    this.#skipValue();
    const text = this.#text.slice(start, this.#end);
    if (!INEXACT.test(text)) return JSON.parse(text) as JsonValue;
    return JSON.parse(text, (_key, value: unknown, context?: { readonly source?: string }) => {
      return typeof value === "number" ? numberOf(context?.source ?? String(value)) : value;
    }) as JsonValue;
  }

  /**
   * Skips a value. Its syntax and depth are checked, but nothing is built. The number of all skipped values is bounded,
   * those in other values included.
   */
  skip(maxValues: number): void {
    this.#maxValues = maxValues - this.#skipped;
    this.#values = 0;
    this.#skipValue();
    this.#skipped += this.#values;
    this.#maxValues = Number.POSITIVE_INFINITY;
  }

  #skipped = 0;
  #values = 0;
  #maxValues = Number.POSITIVE_INFINITY;

  /** Requires the end of the text. */
  end(): void {
    if (this.#at < this.#text.length) throw this.#malformed();
  }

  /** The end of the last scalar or skipped value, before the space that follows. */
  #end = 0;

  get #next(): number {
    return this.#text.charCodeAt(this.#at);
  }

  /** Skips a value and the space after it. Returns what a literal stands for. */
  #skipValue(): JsonValue | undefined {
    if (++this.#values > this.#maxValues) throw tooManySkipped();
    const next = this.#next;
    let literal: JsonValue | undefined;
    if (next === OPEN_OBJECT) {
      this.#nested(CLOSE_OBJECT, () => {
        this.#skipString();
        this.#skipSpace();
        this.#expect(COLON);
        this.#skipValue();
      });
      return undefined;
    }
    if (next === OPEN_LIST) {
      this.#nested(CLOSE_LIST, () => this.#skipValue());
      return undefined;
    }
    if (next === QUOTE) this.#skipString();
    else {
      const found = LITERALS.find(([text]) => this.#text.startsWith(text, this.#at));
      if (found === undefined) this.#match(NUMBER);
      else [this.#at, literal] = [this.#at + found[0].length, found[1]];
    }
    this.#end = this.#at;
    this.#skipSpace();
    return literal;
  }

  /** Walks through an object or list, and the space after it. */
  #nested(close: number, each: () => void): void {
    if (++this.#depth > MAX_DEPTH) {
      const description = `the body is nested more than ${MAX_DEPTH} levels deep`;
      throw invalidArgument({ field: "", description });
    }
    this.#at += 1;
    this.#skipSpace();
    if (this.#next !== close) {
      each();
      while (this.#next === COMMA) {
        this.#expect(COMMA);
        each();
      }
    }
    if (this.#next !== close) throw this.#malformed();
    this.#at += 1;
    this.#end = this.#at;
    this.#depth -= 1;
    this.#skipSpace();
  }

  #skipString(): void {
    if (this.#next !== QUOTE) throw this.#malformed();
    const text = this.#text;
    let at = this.#at + 1;
    for (;;) {
      const code = text.charCodeAt(at);
      if (code === QUOTE) break;
      if (code === BACKSLASH) {
        if (ESCAPED.has(text.charCodeAt(at + 1))) at += 2;
        else {
          this.#at = at;
          this.#match(HEX_ESCAPE);
          at = this.#at;
        }
      } else if (code >= FIRST_PRINTABLE) at += 1;
      else throw this.#malformed();
    }
    this.#at = at + 1;
  }

  #match(pattern: RegExp): void {
    pattern.lastIndex = this.#at;
    if (!pattern.test(this.#text)) throw this.#malformed();
    this.#at = pattern.lastIndex;
  }

  #expect(code: number): void {
    if (this.#next !== code) throw this.#malformed();
    this.#at += 1;
    this.#skipSpace();
  }

  #skipSpace(): void {
    const text = this.#text;
    for (;;) {
      const code = text.charCodeAt(this.#at);
      if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) return;
      this.#at += 1;
    }
  }

  #malformed(): SyntaxError {
    return new SyntaxError(`unexpected text at ${this.#at}`);
  }
}

function tooManySkipped(): Error {
  const description = "the request has too many values in unknown fields";
  return invalidArgument({ field: "", description });
}

/** A number, as a bigint if it is whole and not exact otherwise. */
function numberOf(source: string): JsonValue {
  const value = Number(source);
  if (Number.isSafeInteger(value)) return value;
  return (wholeNumber(source) ?? value) as JsonValue;
}

/** The exact value of a number's text, if it is whole; undefined otherwise. */
function wholeNumber(source: string): bigint | undefined {
  const [, sign, whole = "", fraction = "", exponent = "0"] = NUMBER_PARTS.exec(source) ?? [];
  if (sign === undefined) return undefined;
  const digits = whole + fraction;
  const zeros = Number(exponent) - fraction.length;
  if (digits.length > MAX_DIGITS || Math.abs(zeros) > MAX_DIGITS) return undefined;
  if (zeros >= 0) return BigInt(`${sign}${digits}${"0".repeat(zeros)}`);
  if (!/^0*$/.test(digits.slice(zeros))) return undefined;
  return BigInt(`${sign}${digits.slice(0, zeros) || "0"}`);
}
