import type { Store } from "../store/db/store.ts";
import { writeResults } from "../store/tables/deliveries.ts";
import { writeHealth } from "../store/tables/subscription-states.ts";
import type { AttemptOutcome } from "./outcomes.ts";
import type { SinkHealth } from "./sink-health.ts";

interface Unwritten {
  readonly outcome: AttemptOutcome;
  resolve(): void;
  reject(error: unknown): void;
}

/** Stores the results of one subscription: those of the same tick with one statement. */
export class Results {
  readonly #store: Store;
  readonly #uid: string;
  readonly #health: SinkHealth;
  #unwritten: Unwritten[] = [];

  constructor(store: Store, uid: string, health: SinkHealth) {
    this.#store = store;
    this.#uid = uid;
    this.#health = health;
  }

  /** Resolves when the result is durable. */
  write(outcome: AttemptOutcome): Promise<void> {
    return new Promise((resolve, reject) => {
      if (this.#unwritten.length === 0) setImmediate(() => this.#flush());
      this.#unwritten.push({ outcome, resolve, reject });
    });
  }

  async #flush(): Promise<void> {
    const batch = this.#unwritten;
    this.#unwritten = [];
    const outcomes = batch.map(({ outcome }) => outcome);
    const health = this.#health.after(outcomes, Date.now());
    try {
      await this.#store.write(async (tx) => {
        await writeResults(tx, outcomes);
        if (health !== undefined) await writeHealth(tx, this.#uid, health);
      });
      for (const { resolve } of batch) resolve();
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
  }
}
