import { randomInt } from "node:crypto";

/** Letters that are hard to confuse and make no words: RFC 8628 suggests these. */
const LETTERS = "BCDFGHJKLMNPQRSTVWXZ";

const GROUP = 4;
const GROUPS = new RegExp(`.{1,${GROUP}}`, "g");

/**
 * A code that a person types, such as `WDJB-MJHT`. It lives for minutes and tries are counted, so
 * 34 bits are enough.
 */
export function newUserCode(): string {
  return newCode(2);
}

/** A code that opens an account to whoever has it: 86 bits, so that it can live for a day. */
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

/** A code as it was made from one as it was typed: in any case, with or without the dashes. */
export function readUserCode(typed: string): string {
  return grouped(typed.toUpperCase().replace(/[^A-Z]/g, ""));
}

function grouped(letters: string): string {
  return (letters.match(GROUPS) ?? []).join("-");
}
