/** A pattern took more steps than it may. */
export class StepLimitError extends Error {
  override readonly name = "StepLimitError";
  readonly limit: number;

  constructor(limit: number) {
    super(`evaluating the pattern takes more than ${limit} steps`);
    this.limit = limit;
  }
}

/** Steps that evaluating patterns may take, shared by all that are evaluated for one purpose. */
export class StepBudget {
  readonly limit: number;
  #used = 0;

  constructor(limit: number) {
    this.limit = limit;
  }

  get used(): number {
    return this.#used;
  }

  /** Throws a StepLimitError once more steps were used than there are. */
  spend(steps: number): void {
    this.#used += steps;
    if (this.#used > this.limit) throw new StepLimitError(this.limit);
  }
}
