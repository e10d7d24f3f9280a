import type { QueryConfig } from "pg";
import { DatabaseUnavailable } from "./failures.ts";
import type { Ticks } from "./ticks.ts";

interface LockedTable {
  readonly mentions: RegExp;
  /** The only statement that may wait for the lock; undefined if none does. */
  trial: QueryConfig | undefined;
}

interface Waiting {
  readonly config: QueryConfig;
  resolve(): void;
}

export function tableLocked(): DatabaseUnavailable {
  return new DatabaseUnavailable("a table is locked by another session", "locked");
}

/**
 * Tables that another session has locked, such as by ALTER TABLE or VACUUM FULL. Statements that read them
 * would take all connections and wait, so that no table could be read any more. One statement at a time
 * waits for the lock; the others wait here, without a connection.
 */
export class LockedTables {
  readonly #ticks: Ticks;
  readonly #waitMs: number;
  readonly #locked = new Map<string, LockedTable>();
  readonly #waiting = new Set<Waiting>();

  constructor(ticks: Ticks, waitMs: number) {
    this.#ticks = ticks;
    this.#waitMs = waitMs;
  }

  get isEmpty(): boolean {
    return this.#locked.size === 0;
  }

  /** Records a statement that waits for the lock of a table. Returns whether another one does already. */
  found(table: string, config: QueryConfig): boolean {
    const known = this.#locked.get(table);
    if (known?.trial !== undefined) return known.trial !== config;
    // All our tables have plain names.
    if (!/^\w+$/.test(table)) return false;
    this.#locked.set(table, { mentions: new RegExp(`\\b${table}\\b`), trial: config });
    return false;
  }

  /** Whether a statement reads a locked table. */
  reads({ text }: QueryConfig): boolean {
    return [...this.#locked.values()].some(({ mentions }) => mentions.test(text));
  }

  /** Makes a statement the one that tries its locked tables, unless another one does. */
  begin(config: QueryConfig): boolean {
    const tables = [...this.#locked.values()].filter(({ mentions }) => mentions.test(config.text));
    if (tables.some(({ trial }) => trial !== undefined && trial !== config)) return false;
    for (const table of tables) table.trial = config;
    return true;
  }

  /** Resolves when a statement may run. */
  admit(config: QueryConfig): Promise<void> {
    if (this.begin(config)) return Promise.resolve();
    return new Promise((resolve, reject) => {
      const cancel = this.#ticks.after(this.#waitMs, () => {
        this.#waiting.delete(waiting);
        reject(tableLocked());
      });
      const waiting: Waiting = {
        config,
        resolve() {
          cancel();
          resolve();
        },
      };
      this.#waiting.add(waiting);
    });
  }

  /** A statement has ended. If it succeeded, the tables that it waited for are free. */
  ended(config: QueryConfig, succeeded: boolean): void {
    let changed = false;
    for (const [table, locked] of this.#locked) {
      if (locked.trial !== config) continue;
      changed = true;
      locked.trial = undefined;
      if (succeeded) this.#locked.delete(table);
    }
    if (!changed) return;
    for (const waiting of this.#waiting) {
      if (!this.begin(waiting.config)) continue;
      this.#waiting.delete(waiting);
      waiting.resolve();
    }
  }
}
