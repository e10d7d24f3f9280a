import { PATTERNS, PatternError } from "../lib/pattern/patterns.ts";

/** Steps of all patterns for additional claims of an identity together. */
export const MAX_CLAIM_PATTERN_STEPS = 10_000;

/** The number of steps of a pattern, or what is wrong with it. */
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
