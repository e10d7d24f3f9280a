import type { Target } from "./load/requests.ts";
import { teamNamed } from "./organization.ts";

/** Groups that one measurement creates before names repeat. */
const NAMES = 20_000;

/** Has no factor in common with the number of names, so that each occurs once. */
const STEP = 7_919;

/**
 * Requests that create groups at a path, in each call other ones: a name that siblings share takes further checks.
 * Their names are in no order, as those that people choose.
 */
export function newGroups(path: string): () => Target[] {
  let calls = 0;
  return () => {
    const suffix = String(++calls).padStart(3, "0");
    return Array.from({ length: NAMES }, (_, at) => {
      const number = String((at * STEP) % NAMES).padStart(5, "0");
      return { path, body: JSON.stringify(teamNamed(`${number}${suffix}`)) };
    });
  };
}
