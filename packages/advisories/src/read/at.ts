import type { Timestamp } from "@bufbuild/protobuf/wkt";
import { READ_LIMITS } from "./limits.ts";
import { parseTime } from "./time.ts";
import type { Tree } from "./tree.ts";
import { type Path, pathText, Unreadable } from "./unreadable.ts";

/** What is wrong, as it is found: readers go on, so that people learn all of it at once. */
class Findings {
  readonly found: { readonly path: Path; readonly reason: string }[] = [];
  count = 0;

  add(path: Path, reason: string): void {
    this.count++;
    if (this.found.length < READ_LIMITS.problems) this.found.push({ path, reason });
  }
}

/**
 * A place in a document. It answers values of the type that is asked for, and takes note when there
 * is another; empty texts count as missing, as nobody means them.
 */
export class At {
  readonly value: unknown;
  readonly #findings: Findings;
  readonly #parent: At | undefined;
  readonly #step: string | number;

  private constructor(value: unknown, findings: Findings, parent?: At, step: string | number = "") {
    this.value = value;
    this.#findings = findings;
    this.#parent = parent;
    this.#step = step;
  }

  /**
   * Reads a document from its top, and throws all that was found wrong.
   *
   * @example At.read(treeOf(text), (top) => top.field("id").word())
   */
  static read<T>(tree: Tree, reader: (top: At) => T): T {
    const findings = new Findings();
    const result = reader(new At(tree.value, findings));
    if (findings.count === 0) return result;
    const positions = tree.positionsOf(findings.found.map(({ path }) => path));
    const problems = findings.found.map(({ path, reason }, index) => ({
      ...positions[index],
      path: pathText(path),
      reason,
    }));
    const more = findings.count - problems.length;
    throw new Unreadable(
      more === 0 ? problems : [...problems, { path: "", reason: `has ${more} more problems` }],
    );
  }

  get path(): Path {
    return this.#parent === undefined ? [] : [...this.#parent.path, this.#step];
  }

  /** Whether there is anything. */
  get isThere(): boolean {
    return this.value !== undefined && this.value !== null && this.value !== "";
  }

  refuse(reason: string): void {
    this.#findings.add(this.path, reason);
  }

  /** A member of an object; one that is not there is a place with nothing. */
  field(name: string): At {
    const { value } = this;
    const has = isObject(value) && Object.hasOwn(value, name);
    return new At(has ? value[name] : undefined, this.#findings, this, name);
  }

  /** Whether it is an object; anything else is refused, nothing included. */
  mustBeObject(): boolean {
    if (isObject(this.value)) return true;
    this.refuse(this.isThere ? `must be an object, not ${kindOf(this.value)}` : "is missing");
    return false;
  }

  /** The entries of a list that must be one, if it is there at all. */
  items(most: number): At[] {
    if (!this.isThere) return [];
    if (!Array.isArray(this.value)) {
      this.refuse(`must be a list, not ${kindOf(this.value)}`);
      return [];
    }
    if (this.value.length > most) {
      this.refuse(`has ${this.value.length} entries; at most ${most} are read`);
      return [];
    }
    return this.value.map((one, index) => new At(one, this.#findings, this, index));
  }

  /** A name, an id, a version: it must be there. */
  word(longest: number = READ_LIMITS.wordLength): string {
    if (!this.isThere) this.refuse("is missing");
    return this.#text(longest);
  }

  wordIfAny(): string {
    return this.#text(READ_LIMITS.wordLength);
  }

  /** A package URL, or what is made of some. */
  urlIfAny(): string {
    return this.#text(READ_LIMITS.urlLength);
  }

  /** Words of people. */
  textIfAny(most: number = READ_LIMITS.textLength): string {
    return this.#text(most);
  }

  words(most: number, longest: number = READ_LIMITS.wordLength): string[] {
    const words = this.items(most).map((item) => [item, item.word(longest)] as const);
    const seen = new Set<string>();
    for (const [item, word] of words) {
      if (seen.has(word)) item.refuse(`${quoted(word)} is there twice`);
      seen.add(word);
    }
    return [...seen];
  }

  /** A point in time that must be there. */
  time(): Timestamp | undefined {
    if (!this.isThere) this.refuse("is missing");
    return this.timeIfAny();
  }

  timeIfAny(): Timestamp | undefined {
    const text = this.wordIfAny();
    if (text === "") return undefined;
    const time = parseTime(text);
    if (time === undefined) {
      this.refuse(`must be a time such as 2026-01-31T12:00:00Z, not ${quoted(text)}`);
    }
    return time;
  }

  /** One of several words; what it stands for. */
  oneOf<T>(choices: ReadonlyMap<string, T>): T | undefined {
    const word = this.word();
    const chosen = choices.get(word);
    if (word !== "" && chosen === undefined) {
      this.refuse(`must be one of ${[...choices.keys()].join(", ")}, not ${quoted(word)}`);
    }
    return chosen;
  }

  #text(most: number): string {
    const { value } = this;
    if (value === undefined || value === null) return "";
    if (typeof value !== "string") {
      this.refuse(`must be text, not ${kindOf(value)}`);
      return "";
    }
    if (value.length > most) {
      this.refuse(`has ${value.length} characters; at most ${most} are read`);
      return "";
    }
    const odd = oddity(value);
    if (odd === undefined) return value;
    this.refuse(odd);
    return "";
  }
}

/** What no database and no other program takes in a text. */
function oddity(text: string): string | undefined {
  if (text.includes("\0")) return "has a NUL character";
  return text.isWellFormed() ? undefined : "has half of a character (a lone surrogate)";
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function kindOf(value: unknown): string {
  if (Array.isArray(value)) return "a list";
  if (typeof value === "object") return value === null ? "null" : "an object";
  return typeof value === "string" ? "text" : `a ${typeof value}`;
}

/** @example quoted("a long …") */
export function quoted(text: string): string {
  return JSON.stringify(shortened(text));
}

/** What refusals show of a text: whoever wrote it may have written megabytes. */
export function shortened(text: string): string {
  return text.length > 80 ? `${text.slice(0, 80)}…` : text;
}
