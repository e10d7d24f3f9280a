/**
 * Bounds on patterns that are computed from their text, before compiling: compiling the largest ones takes
 * seconds.
 */

/** Longer patterns are unreadable. */
const MAX_PATTERN_LENGTH = 2_048;

/** The steps of a pattern with its repetitions written out: what it may cost for each character. */
export const MAX_STEPS = 2_500;

/** `stepsAtMost` overestimates, so that patterns are rejected by their text only far above the limit. */
const MAX_STEPS_BY_TEXT = 4 * MAX_STEPS;

/** Maximum compile cost of the character classes of a pattern, in steps. */
const MAX_CLASS_COST = 2_500;

/** Compiling a Unicode class such as \pL takes as long as this many steps. */
const UNICODE_CLASS_COST = 50;

/** A range up to a character beyond ASCII is folded character by character if case is ignored. */
const FOLDED_RANGE_COST = 1_000;

/** Reason why a pattern is too costly to compile; undefined if it is not. */
export function textProblem(pattern: string): string | undefined {
  if (pattern === "") return "is required";
  if (pattern.length > MAX_PATTERN_LENGTH)
    return `must have at most ${MAX_PATTERN_LENGTH} characters`;
  if (stepsAtMost(pattern) > MAX_STEPS_BY_TEXT) return TOO_LARGE;
  if (classCost(pattern) > MAX_CLASS_COST) return "has too many large character classes";
  return undefined;
}

export const TOO_LARGE = "is too large with its repetitions written out: repeat less";

/** Upper bound of the cost to compile a pattern, in steps. */
export function compileCost(pattern: string): number {
  return stepsAtMost(pattern) + classCost(pattern);
}

function classCost(pattern: string): number {
  const unicode = pattern.match(/\\p/gi)?.length ?? 0;
  const ignoresCase = /\(\?[a-z]*i/i.test(pattern);
  const ranges = ignoresCase ? (pattern.match(/-(?:\\x|[\u0080-\uffff])/g)?.length ?? 0) : 0;
  return unicode * UNICODE_CLASS_COST + ranges * FOLDED_RANGE_COST;
}

/** A count, after what is repeated by it. */
const COUNTED = /(.?)\{(\d+)(?:,(\d*))?\}/gsu;

/**
 * More steps than a pattern has: a count after one character repeats that, and a count after anything
 * else all that came before. Escapes and brackets are not distinguished, so this is never too low.
 */
function stepsAtMost(pattern: string): number {
  let steps = 0;
  let seen = 0;
  for (const { 0: text, 1: repeated = "", 2: least, 3: most, index } of pattern.matchAll(COUNTED)) {
    steps += index + text.length - seen;
    seen = index + text.length;
    const count = Math.max(Number(least), Number(most || 0));
    if (/^[)}*+?]?$/.test(repeated)) steps *= Math.max(count, 1);
    else steps += 2 * count;
  }
  return steps + pattern.length - seen;
}
