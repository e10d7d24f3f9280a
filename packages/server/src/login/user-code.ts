import { randomInt } from "node:crypto";

/** Letters that are hard to confuse and make no words: RFC 8628 suggests these. */
const LETTERS = "BCDFGHJKLMNPQRSTVWXZ";

const LENGTH = 8;

/**
 * A code that a person types, such as `WDJB-MJHT`.
 *
 * @example const userCode = newUserCode();
 */
export function newUserCode(): string {
  const letters = Array.from({ length: LENGTH }, () => LETTERS[randomInt(LETTERS.length)]);
  return `${letters.slice(0, 4).join("")}-${letters.slice(4).join("")}`;
}

/**
 * A code as it was made from one as it was typed: in any case, with or without the dash.
 *
 * @example readUserCode("wdjb mjht") // "WDJB-MJHT"
 */
export function readUserCode(typed: string): string {
  const letters = typed.toUpperCase().replace(/[^A-Z]/g, "");
  return `${letters.slice(0, 4)}-${letters.slice(4)}`;
}
