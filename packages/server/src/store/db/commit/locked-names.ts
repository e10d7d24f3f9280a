import type { Dialect, Reader } from "../connection.ts";

/** A name that a write gives to a child of a parent, unless it is taken. */
export interface NameLock {
  readonly table: NamedTable;
  readonly parent: string;
  readonly name: string;
}

export interface NamedTable {
  readonly shape: { readonly name: string };
  /** Selects `parent`, `name` and the `uid` of the oldest child, for pairs of parents and names in a JSON array. */
  oldestNamed(dialect: Dialect): string;
}

/** The text whose lock serializes transactions that give the same name. */
export function nameText(table: string, parent: string, name: string): string {
  return JSON.stringify([table, parent, name]);
}

/** Names that are locked for the writes of a batch, with the oldest children that have them. */
export class LockedNames {
  /** By table and text; "" for a name that no child has. */
  readonly #oldest = new Map<string, Map<string, string>>();

  /** Locks names in the order of their texts, then reads who has them: the database executes both in this order. */
  async lock(reader: Reader, locks: readonly NameLock[]): Promise<void> {
    const byTable = Map.groupBy(locks, ({ table }) => table);
    const inOrder = [...byTable].sort(([a], [b]) => (a.shape.name < b.shape.name ? -1 : 1));
    await Promise.all(inOrder.map(([table, some]) => this.#lockIn(reader, table, some)));
  }

  /** The oldest child with a name, "" if there is none; undefined for a name that is not held. */
  oldest(table: string, parent: string, name: string): string | undefined {
    return this.#oldest.get(table)?.get(nameText(table, parent, name));
  }

  inserted(table: string, parent: string, name: string, uid: string): void {
    const names = this.#oldest.get(table);
    if (names === undefined) return;
    const text = nameText(table, parent, name);
    if (names.get(text) === "") names.set(text, uid);
  }

  /** Forgets the names of a table, of which a row was renamed or deleted; or of all tables that a statement names. */
  forget(text: string): void {
    for (const table of this.#oldest.keys()) if (text.includes(table)) this.#oldest.delete(table);
  }

  async #lockIn(reader: Reader, table: NamedTable, locks: readonly NameLock[]): Promise<void> {
    const { dialect } = reader;
    const { name: tableName } = table.shape;
    const pairs = new Map(
      locks.map(({ parent, name }) => [nameText(tableName, parent, name), [parent, name]]),
    );
    const [, rows] = await Promise.all([
      reader.all(dialect.lockTexts, JSON.stringify([...pairs.keys()].sort())),
      reader.all<{ parent: string; name: string; uid: string }>(
        table.oldestNamed(dialect),
        JSON.stringify([...pairs.values()]),
      ),
    ]);
    const names = this.#oldest.get(tableName) ?? new Map<string, string>();
    for (const text of pairs.keys()) names.set(text, "");
    for (const { parent, name, uid } of rows) names.set(nameText(tableName, parent, name), uid);
    this.#oldest.set(tableName, names);
  }
}
