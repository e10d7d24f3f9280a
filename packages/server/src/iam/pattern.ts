import { PATTERNS, PatternError } from "../lib/pattern/patterns.ts";

/** The steps that the patterns of an identity for further claims may have together. */
export const MAX_CLAIM_PATTERN_STEPS = 10_000;

/**
 * What is wrong with a pattern that a caller wrote, or how many steps it has.
 *
 * @example await judgePattern("(") // { problem: "is not a valid RE2 expression: …" }
 */
export async function inspectPattern(
  pattern: string,
): Promise<{ problem: string } | { steps: number }> {
  try {
    const { steps } = await PATTERNS.compile(pattern);
    return { steps };
  } catch (error) {
    if (error instanceof PatternError) return { problem: error.message };
    throw error;
  }
}
