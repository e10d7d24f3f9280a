import { TokenType } from "@streamparser/json";
import type { SbomLimits } from "../limits.ts";
import { SbomRefused } from "../refusal.ts";
import type { Shape } from "./shape.ts";

/** The tokens that may come next. */
type Expected = "value" | "entryOrEnd" | "key" | "keyOrEnd" | "colon" | "commaOrEnd";

/** An object or list that is not closed. */
interface Frame {
  readonly isObject: boolean;
  /** Its shape, if its members are handed over one by one. */
  readonly shape: Shape | undefined;
  /** Its value, if it is part of one that is handed over as a whole. */
  readonly built: Record<string, unknown> | unknown[] | undefined;
  /** The key of the current member. */
  key: string;
}

const SKIPPED = { shape: undefined, built: undefined } as const;

/** Walks through the tokens of JSON values by a shape, and builds only what the shape receives. */
export class TokenWalker {
  readonly #root: Shape;
  readonly #limits: SbomLimits;
  readonly #finished: () => void;
  readonly #frames: Frame[] = [];
  #expected: Expected = "value";
  /** Receives the value that is being built. */
  #receiver: ((value: unknown) => void) | undefined;
  #keys: ReadonlySet<string> | undefined;
  #values = 0;

  /** `finished` is called after each value of the root. */
  constructor(root: Shape, limits: SbomLimits, finished: () => void) {
    this.#root = root;
    this.#limits = limits;
    this.#finished = finished;
  }

  /** Whether no value is incomplete. */
  get isBetweenValues(): boolean {
    return this.#frames.length === 0;
  }

  write(token: TokenType, value: unknown): void {
    if (token === TokenType.LEFT_BRACE) this.#open(true);
    else if (token === TokenType.LEFT_BRACKET) this.#open(false);
    else if (token === TokenType.RIGHT_BRACE) this.#close(true);
    else if (token === TokenType.RIGHT_BRACKET) this.#close(false);
    else if (token === TokenType.COLON) this.#advance("colon", "value");
    else if (token === TokenType.COMMA) {
      this.#advance("commaOrEnd", this.#top?.isObject === true ? "key" : "value");
    } else this.#scalar(token, value);
  }

  get #top(): Frame | undefined {
    return this.#frames.at(-1);
  }

  #advance(from: Expected, to: Expected): void {
    if (this.#expected !== from) throw unexpected();
    this.#expected = to;
  }

  #scalar(token: TokenType, value: unknown): void {
    const isKey = this.#expected === "key" || this.#expected === "keyOrEnd";
    if (isKey) {
      if (token !== TokenType.STRING) throw unexpected();
      (this.#top as Frame).key = value as string;
      this.#expected = "colon";
      return;
    }
    this.#requireValue();
    const top = this.#top;
    if (top?.built !== undefined) this.#put(top, value);
    else {
      const shape = this.#begin();
      const receiver = top?.shape !== undefined && !top.isObject ? top.shape.entry : shape?.value;
      receiver?.(value);
    }
    this.#expected = "commaOrEnd";
    if (top === undefined) this.#endRoot();
  }

  #open(isObject: boolean): void {
    this.#requireValue();
    if (this.#frames.length >= this.#limits.depth) throw tooDeep(this.#limits.depth);
    const top = this.#top;
    this.#frames.push({ isObject, key: "", ...this.#target(top, isObject) });
    this.#expected = isObject ? "keyOrEnd" : "entryOrEnd";
  }

  /** Whether a container is walked through, built or, with neither, skipped. */
  #target(top: Frame | undefined, isObject: boolean): Pick<Frame, "shape" | "built"> {
    const fresh = isObject ? {} : [];
    if (top?.built !== undefined) {
      return { shape: undefined, built: this.#put(top, fresh) ? fresh : undefined };
    }
    if (top !== undefined && top.shape === undefined) return SKIPPED;
    const isEntry = top?.shape !== undefined && !top.isObject;
    const shape = isEntry ? top.shape : this.#begin();
    if (!isEntry && (isObject ? shape?.members : shape?.entry) !== undefined) {
      return { shape, built: undefined };
    }
    this.#receiver = isEntry ? shape?.entry : shape?.value;
    this.#keys = shape?.keys;
    this.#values = 0;
    return { shape: undefined, built: this.#receiver === undefined ? undefined : fresh };
  }

  /** The shape of the value that begins now; undefined if it is skipped. */
  #begin(): Shape | undefined {
    const top = this.#top;
    const isEntry = top !== undefined && !top.isObject;
    if (isEntry) return undefined;
    const shape = top === undefined ? this.#root : top.shape?.members?.get(top.key);
    shape?.begin?.();
    return shape;
  }

  /** Adds a value to what is being built; false for a key that nobody needs. */
  #put({ built, key }: Frame, value: unknown): boolean {
    if (++this.#values > this.#limits.values) {
      const text = `an entry has more than ${this.#limits.values} values`;
      throw new SbomRefused("too_many_values", text);
    }
    if (Array.isArray(built)) built.push(value);
    else if (this.#keys?.has(key) === false) return false;
    else if (key === "__proto__") defineOwn(built as object, key, value);
    else (built as Record<string, unknown>)[key] = value;
    return true;
  }

  #close(isObject: boolean): void {
    const end = isObject ? "keyOrEnd" : "entryOrEnd";
    const isEnd = this.#expected === end || this.#expected === "commaOrEnd";
    if (!isEnd || this.#top?.isObject !== isObject) throw unexpected();
    const { built } = this.#frames.pop() as Frame;
    this.#expected = "commaOrEnd";
    const top = this.#top;
    if (built !== undefined && top?.built === undefined) {
      const receiver = this.#receiver;
      this.#receiver = undefined;
      receiver?.(built);
    }
    if (top === undefined) this.#endRoot();
  }

  #endRoot(): void {
    this.#expected = "value";
    this.#finished();
  }

  #requireValue(): void {
    if (this.#expected !== "value" && this.#expected !== "entryOrEnd") throw unexpected();
  }
}

/** An assignment to `__proto__` would change the prototype. */
function defineOwn(object: object, key: string, value: unknown): void {
  const attributes = { configurable: true, enumerable: true, writable: true };
  Object.defineProperty(object, key, { ...attributes, value });
}

function unexpected(): SbomRefused {
  return new SbomRefused("not_json", "is not JSON");
}

export function tooDeep(maxDepth: number): SbomRefused {
  return new SbomRefused("too_deep", `is nested more than ${maxDepth} levels deep`);
}
