import type { StoredIndex, StoredTable } from "./read-schema.ts";
import type { ColumnSchema, IndexSchema, TableSchema } from "./table-schema.ts";

/** What a stored table has other than its definition. */
export interface Differences {
  readonly missingColumns: readonly ColumnSchema[];
  /** Missing, invalid, or other than in the definition. */
  readonly missingIndexes: readonly IndexSchema[];
  /** Indexes to drop. Those of columns that the definition no longer has are dropped with the column. */
  readonly staleIndexes: readonly string[];
}

export function differences(table: TableSchema, stored: StoredTable): Differences {
  const names = new Set(table.columns.map(({ name }) => name));
  const wanted = new Map(table.indexes.map((index) => [index.name, index]));
  const isCurrent = (name: string, index: StoredIndex) => {
    const definition = wanted.get(name);
    return definition !== undefined && isSame(definition, index);
  };
  return {
    missingColumns: table.columns.filter(({ name }) => !stored.columns.has(name)),
    missingIndexes: table.indexes.filter((index) => {
      const found = stored.indexes.get(index.name);
      return found === undefined || !isSame(index, found);
    }),
    staleIndexes: [...stored.indexes]
      .filter(([name, index]) => !isCurrent(name, index))
      .filter(([name, { columns }]) => wanted.has(name) || columns.every((one) => names.has(one)))
      .map(([name]) => name),
  };
}

export function isEmpty({ missingColumns, missingIndexes }: Differences): boolean {
  return missingColumns.length === 0 && missingIndexes.length === 0;
}

function isSame(definition: IndexSchema, stored: StoredIndex): boolean {
  return (
    stored.valid &&
    stored.unique === (definition.unique ?? false) &&
    (stored.where !== undefined) === (definition.where !== undefined) &&
    stored.columns.join() === definition.columns.join()
  );
}
