import { randomInt } from "node:crypto";

/** Letters that are hard to confuse and form no words, as RFC 8628 suggests. */
const LETTERS = "BCDFGHJKLMNPQRSTVWXZ";

const GROUP = 4;
const GROUPS = new RegExp(`.{1,${GROUP}}`, "g");

/**
 * A user code, such as `WDJB-MJHT`. It lives for minutes and attempts are limited, so 34 bits
 * suffice.
 */
export function newUserCode(): string {
  return newCode(2);
}

/** A code that grants access to an account, valid for a day: 86 bits. */
export function newOperatorCode(): string {
  return newCode(5);
}

function newCode(groups: number): string {
  const letters = Array.from(
    { length: groups * GROUP },
    () => LETTERS[randomInt(LETTERS.length)],
  ).join("");
  return grouped(letters);
}

/** Normalizes a code: any case, with or without dashes. */
export function readUserCode(typed: string): string {
  return grouped(typed.toUpperCase().replace(/[^A-Z]/g, ""));
}

function grouped(letters: string): string {
  return (letters.match(GROUPS) ?? []).join("-");
}
