import type {
  StoredIndex,
  StoredSchema,
  StoredTable,
} from "../../packages/server/src/store/schema/read-schema.ts";
import { StepError } from "../step.ts";

/** Columns that do not follow from the `data` of a row. */
const UNDERIVED: ReadonlySet<string> = new Set(["part", "terms"]);

/** The work of a step: SQL, by the words of its file name. */
export type Steps = ReadonlyMap<string, readonly string[]>;

/**
 * The steps that give the tables of a schema what their definitions have: one for all new tables, and one for each that
 * changes. `created` has the statements of the definitions, by table.
 */
export function differences(
  stored: StoredSchema,
  defined: StoredSchema,
  created: ReadonlyMap<string, readonly string[]>,
): Steps {
  const steps = new Map<string, readonly string[]>();
  const missing = [...defined.keys()].filter((name) => !stored.has(name));
  if (missing.length > 0)
    steps.set(
      missing.join("-"),
      missing.flatMap((name) => [...(created.get(name) ?? []), ""]),
    );
  for (const [name, table] of defined) {
    const before = stored.get(name);
    if (before === undefined) continue;
    const changes = changesOf(name, before, table, created.get(name) ?? []);
    if (changes.length > 0) steps.set(name, changes);
  }
  return steps;
}

/**
 * The statements that change a table. Columns that the definition no longer has stay on PostgreSQL, with a default, for
 * replicas of the previous version, as do their indexes; SQLite has no replicas, and cannot change a default.
 */
function changesOf(
  name: string,
  before: StoredTable,
  after: StoredTable,
  created: readonly string[],
): string[] {
  const added = [...after.columns].filter(([column]) => !before.columns.has(column));
  const retired = [...before.columns].filter(([column]) => !after.columns.has(column));
  const dropped = [...before.indexes].filter(([index]) => !after.indexes.has(index));
  const built = [...after.indexes].filter(
    ([index, now]) => !isSame(now, before.indexes.get(index)),
  );
  const isRetired = ({ columns }: StoredIndex) =>
    retired.some(([column]) => columns.includes(column));
  const [underived] = added.filter(([column]) => UNDERIVED.has(column));
  if (underived !== undefined)
    throw new StepError(`${name}.${underived[0]} cannot be derived from stored rows: write a step`);
  return [
    ...added.map(([column, { type }]) => {
      return `ALTER TABLE ${name} ADD COLUMN ${column} ${type} NOT NULL DEFAULT ${initialOf(type)};`;
    }),
    ...dropped.flatMap(([index, one]) => [
      ...(isRetired(one) ? ["-- sqlite:"] : []),
      `DROP INDEX IF EXISTS ${index};`,
    ]),
    ...retired.flatMap(([column, { type }]) => [
      "-- sqlite:",
      `ALTER TABLE ${name} DROP COLUMN ${column};`,
      "-- postgres:",
      `ALTER TABLE ${name} ALTER COLUMN ${column} SET DEFAULT ${initialOf(type)};`,
    ]),
    ...added.map(([column]) => `-- backfill: ${name}.${column}`),
    ...built.map(([index]) => created.find((sql) => sql.includes(` INDEX ${index} ON `)) ?? ""),
  ];
}

function isSame(one: StoredIndex, other: StoredIndex | undefined): boolean {
  return (
    one.unique === other?.unique &&
    one.where === other.where &&
    one.columns.join() === other.columns.join()
  );
}

function initialOf(type: string): string {
  return type === "INTEGER" ? "0" : "''";
}
