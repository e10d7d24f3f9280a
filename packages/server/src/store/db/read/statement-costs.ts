import { BoundedCache } from "../../../lib/bounded-cache.ts";

/** A statement that takes no longer is cheap, in milliseconds. */
const MAX_CHEAP_MS = 1;

/** Cheap runs in a row after which a statement counts as cheap. */
const FIRST_RUNS = 16;

/** Each time that a statement which counted as cheap was not, it needs so many times as many. */
const FACTOR = 8;

/** Statements whose cost is known at most. */
const MAX_STATEMENTS = 1_000;

interface Cost {
  /** Cheap runs since the last one that was not. */
  cheapRuns: number;
  neededRuns: number;
}

/**
 * Observed costs of statements, by their text. Their parameters decide, too, so a statement may be cheap for long and
 * then not. That delays everybody once; it is cheap again only after many more runs, so that nobody can repeat it soon.
 */
export class StatementCosts {
  readonly #costs = new BoundedCache<string, Cost>({ maxEntries: MAX_STATEMENTS });

  isCheap(sql: string): boolean {
    const cost = this.#costs.get(sql);
    return cost !== undefined && cost.cheapRuns >= cost.neededRuns;
  }

  record(sql: string, ms: number): void {
    const { cheapRuns, neededRuns } = this.#costs.get(sql) ?? {
      cheapRuns: 0,
      neededRuns: FIRST_RUNS,
    };
    const factor = this.isCheap(sql) ? FACTOR : 1;
    const cost =
      ms <= MAX_CHEAP_MS
        ? { cheapRuns: cheapRuns + 1, neededRuns }
        : { cheapRuns: 0, neededRuns: neededRuns * factor };
    this.#costs.set(sql, cost);
  }
}
