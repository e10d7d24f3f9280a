import { unauthenticated, WharfError } from "../../lib/errors.ts";
import { StepBudget } from "../../lib/pattern/step-budget.ts";

/** Step budget of all patterns of an identity for one token: a few milliseconds at most. */
const MAX_PATTERN_STEPS = 100_000;

/** The result of one check of a token. */
export interface Check {
  /** The name of the claim, or of what else was checked. */
  readonly claim: string;
  /** The identity's requirement; a pattern is enclosed in slashes. */
  readonly expected: string;
  /** The value in the token. */
  readonly found: string;
  readonly ok: boolean;
}

/**
 * Collects the checks of a token. An exchange fails fast; a dry run collects all results. Both run the
 * same checks.
 */
export class Checks {
  readonly results: Check[] = [];
  /** The step budget that all patterns of this exchange or dry run share. */
  readonly steps = new StepBudget(MAX_PATTERN_STEPS);
  readonly #failsFast: boolean;

  private constructor(failsFast: boolean) {
    this.#failsFast = failsFast;
  }

  /** For an exchange: throws the first failure. */
  static failFast(): Checks {
    return new Checks(true);
  }

  /** For a dry run: collects failures. */
  static collectAll(): Checks {
    return new Checks(false);
  }

  /** Adds a result and returns whether the check passed; throws the denial if failing fast. */
  add(check: Check, denial: () => WharfError = () => invalidClaim(check.claim)): boolean {
    if (!check.ok && this.#failsFast) throw denial();
    this.results.push(check);
    return check.ok;
  }

  get passed(): boolean {
    return this.results.every((check) => check.ok);
  }
}

/** Names the failed check without revealing what was expected. */
export function invalidClaim(what: string): WharfError {
  return new WharfError("PERMISSION_DENIED", `invalid "${what}"`);
}

export function malformedToken(): WharfError {
  return unauthenticated("the token is malformed");
}
