import { RE2JS } from "re2js";

/** Patterns longer than this are not read by anyone, and compile slowly. */
const LONGEST_PATTERN = 2_048;

/**
 * The steps that a pattern may have once its repetitions are written out: what it costs for each
 * character of a value. RE2 is never slower than that, but lets `(a?){1000}` be four thousand of them.
 */
const MOST_STEPS = 2_500;

/** The steps that all patterns of one identity may have together: they are compiled together. */
export const MOST_STEPS_TOGETHER = 10_000;

/**
 * What is wrong with a pattern that someone wrote, or how many steps it has.
 *
 * @example judgePattern("(") // { problem: "is not a valid RE2 expression: …" }
 */
export function judgePattern(pattern: string): { problem: string } | { steps: number } {
  if (pattern === "") return { problem: "is required" };
  if (pattern.length > LONGEST_PATTERN)
    return { problem: `must have at most ${LONGEST_PATTERN} characters` };
  // Compiling the largest ones takes seconds, so these are told by their text.
  if (stepsAtMost(pattern) > 4 * MOST_STEPS) return { problem: TOO_LARGE };
  try {
    const steps = RE2JS.compile(`^(?:${pattern})$`).programSize();
    return steps > MOST_STEPS ? { problem: TOO_LARGE } : { steps };
  } catch (error) {
    return { problem: `is not a valid RE2 expression: ${(error as Error).message}` };
  }
}

const TOO_LARGE = "is too large with its repetitions written out: repeat less";

/** A count, after what is repeated by it. */
const COUNTED = /(.?)\{(\d+)(?:,(\d*))?\}/gsu;

/**
 * More steps than a pattern has: a count after one character repeats that, and a count after anything
 * else all that came before. What is escaped or in brackets is not told apart, so this is never too low.
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
