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

/** Results are stored together within this time, while more requests are in progress than results wait. */
const GATHER_MS = 10;

/** How long results wait for a commit of others that they join. Requests wait for them. */
const MAX_DELAY_MS = 1;

/** Stores the results of one subscription, several with one statement. */
export class Results {
  readonly #store: Store;
  readonly #uid: string;
  readonly #health: SinkHealth;
  #unwritten: Unwritten[] = [];
  #timer: NodeJS.Timeout | undefined;

  constructor(store: Store, uid: string, health: SinkHealth) {
    this.#store = store;
    this.#uid = uid;
    this.#health = health;
  }

  /** Resolves when the result survives the end of this process. */
  write(outcome: AttemptOutcome, inProgress: number): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#unwritten.push({ outcome, resolve, reject });
      if (inProgress <= this.#unwritten.length) this.#flush();
      else this.#timer ??= setTimeout(() => this.#flush(), GATHER_MS);
    });
  }

  async #flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const batch = this.#unwritten;
    this.#unwritten = [];
    const outcomes = batch.map(({ outcome }) => outcome);
    const health = this.#health.after(outcomes, Date.now());
    try {
      await this.#store.writeInBackground(async (tx) => {
        await writeResults(tx, outcomes);
        if (health !== undefined) await writeHealth(tx, this.#uid, health);
      }, MAX_DELAY_MS);
      for (const { resolve } of batch) resolve();
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
  }
}
