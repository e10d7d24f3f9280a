import type { SbomLimits } from "./limits.ts";
import { SbomRefused } from "./refusal.ts";

/** Bounds the texts of a document that are stored. Whatever is not a text counts as absent. */
export class Texts {
  readonly #limits: SbomLimits;

  constructor(limits: SbomLimits) {
    this.#limits = limits;
  }

  /** A name or a version. */
  name(value: unknown): string {
    return checked(value, this.#limits.nameLength);
  }

  /** A package URL or a reference. */
  url(value: unknown): string {
    return checked(value, this.#limits.urlLength);
  }

  /** Free text, cut where it is too long. */
  prose(value: unknown): string | undefined {
    if (typeof value !== "string") return undefined;
    const start = value.slice(0, this.#limits.textLength);
    const text = (start.includes("\0") ? start.replaceAll("\0", "") : start).trim();
    return text === "" ? undefined : text.toWellFormed();
  }

  /** A license expression; none for a text that is too long to be one. */
  license(value: unknown): string | undefined {
    if (typeof value !== "string" || value.length > this.#limits.licenseLength) return undefined;
    return this.prose(value);
  }
}

/** Databases accept neither NUL nor lone surrogates, and a package under a changed name is another package. */
function checked(value: unknown, maxLength: number): string {
  if (typeof value !== "string") return "";
  if (value.length > maxLength) {
    const start = JSON.stringify(value.slice(0, 40).toWellFormed());
    const text = `a text has ${value.length} characters (${start}…); the maximum is ${maxLength}`;
    throw new SbomRefused("text_too_long", text);
  }
  if (value.includes("\0")) throw new SbomRefused("invalid_text", "a text has a NUL character");
  if (!value.isWellFormed()) throw new SbomRefused("invalid_text", "a text has a lone surrogate");
  return value;
}

/** A time in UTC; undefined if it is invalid, or the start of 1970. */
export function timeOf(value: unknown): string | undefined {
  if (typeof value !== "string" || !/^\d{4}-\d\d-\d\dT\d\d:\d\d/.test(value)) return undefined;
  const time = Date.parse(value);
  return Number.isNaN(time) || time === 0 ? undefined : new Date(time).toISOString();
}

/** A digest such as `sha256:…` in a text; undefined if there is none. */
export function digestIn(text: string): string | undefined {
  return /(?:^|[@:])(sha256:[0-9a-f]{64})(?![0-9a-f])/.exec(text)?.[1];
}

export function isHash(text: unknown): text is string {
  return typeof text === "string" && /^[0-9a-f]{64}$/.test(text);
}
