import type { Store } from "../../store/db/store.ts";
import { writeResults } from "../../store/tables/events/deliveries.ts";
import { writeHealth } from "../../store/tables/events/subscription-states.ts";
import type { AttemptOutcome } from "./outcomes.ts";
import type { SinkHealth } from "./sink-health.ts";

/** Owner of the results. */
export interface ResultOwner {
  readonly uid: string;
  readonly health: SinkHealth;
}

interface Unwritten {
  readonly owner: ResultOwner;
  readonly outcome: AttemptOutcome;
  resolve(): void;
  reject(error: unknown): void;
}

/** Results are stored together within this time, while more requests are in progress than results wait. */
const GATHER_MS = 5;

/** Maximum wait of results for another commit that they join. Requests wait for them. */
const MAX_DELAY_MS = 1;

/** Stores the results of all senders of a process, as many as there are with one statement. */
export class Results {
  readonly #store: Store;
  #unwritten: Unwritten[] = [];
  #inProgress = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(store: Store) {
    this.#store = store;
  }

  /** Runs a request, whose result is to be expected. */
  async during<T>(request: () => Promise<T>): Promise<T> {
    this.#inProgress += 1;
    try {
      return await request();
    } finally {
      this.#inProgress -= 1;
    }
  }

  /** Resolves when the result survives the end of this process. */
  write(owner: ResultOwner, outcome: AttemptOutcome): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#unwritten.push({ owner, outcome, resolve, reject });
      if (this.#inProgress <= this.#unwritten.length) this.#flush();
      else this.#timer ??= setTimeout(() => this.#flush(), GATHER_MS);
    });
  }

  async #flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const batch = this.#unwritten;
    this.#unwritten = [];
    const now = Date.now();
    const outcomes = batch.map(({ outcome }) => outcome);
    const changed = [...Map.groupBy(batch, ({ owner }) => owner.health)].flatMap(
      ([health, own]) => {
        const row = health.after(
          own.map(({ outcome }) => outcome),
          now,
        );
        return row === undefined ? [] : own.slice(0, 1).map(({ owner: { uid } }) => ({ uid, row }));
      },
    );
    try {
      await this.#store.writeInBackground(async (tx) => {
        await writeResults(tx, outcomes);
        for (const { uid, row } of changed) await writeHealth(tx, uid, row);
      }, MAX_DELAY_MS);
      for (const { resolve } of batch) resolve();
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
  }
}
