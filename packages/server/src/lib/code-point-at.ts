/**
 * Replaces `String.prototype.codePointAt`, for libraries, too. The code that V8 makes of calls of its own one, once they
 * are frequent, is wrong: on x64, it adds one to the first half of a surrogate pair and ignores the second (Node.js 25
 * and 26); of a string that is a slice of another, it reads what follows the slice (Node.js 24 to 26). A pattern would
 * match what it must not. Its code of `charCodeAt` is right.
 */
const HIGH = 0xd800;
const LOW = 0xdc00;
const LAST_LOW = 0xdfff;

/** Behind the first 65,536, each character is a pair. */
const FIRST_OF_PAIRS = 0x10000;

function codePointAt(this: unknown, position?: number): number | undefined {
  const text = String(this);
  const at = Math.trunc(Number(position)) || 0;
  const first = text.charCodeAt(at);
  if (Number.isNaN(first)) return undefined;
  if (first < HIGH || first >= LOW) return first;
  const second = text.charCodeAt(at + 1);
  const isPair = second >= LOW && second <= LAST_LOW;
  return isPair ? ((first - HIGH) << 10) + (second - LOW) + FIRST_OF_PAIRS : first;
}

Object.defineProperty(String.prototype, "codePointAt", {
  value: codePointAt,
  writable: true,
  configurable: true,
});
