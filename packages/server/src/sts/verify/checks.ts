import { unauthenticated, WharfError } from "../../lib/errors.ts";
import { StepBudget } from "../../lib/pattern/step-budget.ts";

/** Steps that all patterns of one identity may take for one token: some milliseconds at most. */
const MAX_PATTERN_STEPS = 100_000;

/** One thing that a token was checked for. */
export interface Check {
  /** The claim's name, as in the token, or what else was looked at. */
  readonly claim: string;
  /** What the identity asks for; a pattern stands between slashes. */
  readonly expected: string;
  /** What the token has. */
  readonly found: string;
  readonly ok: boolean;
}

/**
 * What a token has been checked for so far. An exchange ends at the first check that fails; a test
 * goes on, so that it can show all of them. The checks themselves are the same.
 */
export class Checks {
  readonly results: Check[] = [];
  /** What the patterns of this exchange, or this test, may take together. */
  readonly steps = new StepBudget(MAX_PATTERN_STEPS);
  readonly #goOn: boolean;

  private constructor(goOn: boolean) {
    this.#goOn = goOn;
  }

  /** For the exchange: the first failure is thrown. */
  static failFast(): Checks {
    return new Checks(false);
  }

  /** For a test: failures are kept. */
  static collectAll(): Checks {
    return new Checks(true);
  }

  /**
   * Keeps a check and returns whether it passed; throws its refusal where failures end everything.
   */
  add(check: Check, refusal: () => WharfError = () => invalidClaim(check.claim)): boolean {
    if (!check.ok && !this.#goOn) throw refusal();
    this.results.push(check);
    return check.ok;
  }

  get passed(): boolean {
    return this.results.every((check) => check.ok);
  }
}

/** Says which check failed, and nothing of what was expected. */
export function invalidClaim(what: string): WharfError {
  return new WharfError("PERMISSION_DENIED", `invalid "${what}"`);
}

/** The refusal of what cannot be read. */
export function malformedToken(): WharfError {
  return unauthenticated("the token is malformed");
}
