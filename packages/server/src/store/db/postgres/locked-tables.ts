import { DatabaseUnavailable } from "./failures.ts";
import type { Ticks } from "./ticks.ts";

interface LockedTable {
  readonly mentions: RegExp;
  /** Whether reads must wait, too; CREATE INDEX lets them pass. */
  readonly blocksReads: boolean;
}

export function tableLocked(): DatabaseUnavailable {
  return new DatabaseUnavailable("a table is locked by another session", "locked");
}

/**
 * Tables that another session has locked, such as by ALTER TABLE or VACUUM FULL. Statements that need them
 * would take all connections and wait, so that no other table could be read or written any more. So reads
 * wait here, without a connection, and writes fail.
 */
export class LockedTables {
  readonly #ticks: Ticks;
  readonly #waitMs: number;
  #locked: ReadonlyMap<string, LockedTable> = new Map();

  constructor(ticks: Ticks, waitMs: number) {
    this.#ticks = ticks;
    this.#waitMs = waitMs;
  }

  get names(): readonly string[] {
    return [...this.#locked.keys()];
  }

  /** Replaces the set of locked tables. */
  update(tables: ReadonlyMap<string, boolean>): void {
    // All our tables have plain names.
    const plain = [...tables].filter(([name]) => /^\w+$/.test(name));
    this.#locked = new Map(
      plain.map(([name, blocksReads]) => {
        return [name, { mentions: new RegExp(`\\b${name}\\b`), blocksReads }];
      }),
    );
  }

  /** Whether a statement needs a locked table. */
  blocks(sql: string): boolean {
    if (this.#locked.size === 0) return false;
    const isRead = /^SELECT\b(?!.*\bFOR (UPDATE|SHARE)\b)/s.test(sql);
    return [...this.#locked.values()].some(
      ({ mentions, blocksReads }) => (blocksReads || !isRead) && mentions.test(sql),
    );
  }

  /** Resolves when the tables of a blocked read are free. */
  async admit(sql: string): Promise<void> {
    let isLate = false;
    const cancel = this.#ticks.after(this.#waitMs, () => {
      isLate = true;
    });
    while (this.blocks(sql)) {
      if (isLate) throw tableLocked();
      await new Promise<void>((resolve) => this.#ticks.after(0, resolve));
    }
    cancel();
  }
}
