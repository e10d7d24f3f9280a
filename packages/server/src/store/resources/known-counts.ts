import type { BatchWriter } from "../db/batch-writer.ts";
import { HalfWritten } from "../db/commit-errors.ts";
import type { Dialect } from "../db/connection.ts";
import type { Sql } from "./conditions.ts";
import type { DeltaRow, SumRow } from "./counts.ts";
import { isTrimmedAt, type KindVersion, trimLog } from "./row-log.ts";

/** Beyond this many nodes, all are forgotten and learned again. */
const MAX_NODES = 10_000;

/** Some of the nodes that a transaction counts at have indexes of lists, which it has to update. */
export class ChangesOfListed extends HalfWritten {
  readonly rows: readonly DeltaRow[];

  constructor(rows: readonly DeltaRow[]) {
    super();
    this.rows = rows;
  }
}

/**
 * What a process knows from earlier transactions. The counts of a root are locked by every write below it, on all
 * replicas, so nothing may lie between them and the commit where the database is across a network. What follows from the
 * counts is written by the same statement, which fails if a node has indexes of lists unexpectedly.
 */
export class KnownCounts {
  /** Nodes that may have indexes of lists. */
  readonly #listed = new Set<string>();
  /** Versions at which the log of a kind is to be trimmed. */
  readonly #trims = new Map<string, KindVersion>();

  mayHaveLists(rows: readonly DeltaRow[]): boolean {
    return rows.some(([uid, kind]) => this.#listed.has(keyOf(uid, kind)));
  }

  expectLists({ rows }: ChangesOfListed): void {
    if (this.#listed.size > MAX_NODES) this.#listed.clear();
    for (const [uid, kind] of rows) this.#listed.add(keyOf(uid, kind));
  }

  /** Remembers which nodes have indexes of lists; returns them. */
  learn(stored: readonly SumRow[]): readonly SumRow[] {
    for (const [uid, kind, , lists] of stored) {
      if (lists === 0) this.#listed.delete(keyOf(uid, kind));
    }
    return stored.filter(([, , , lists]) => lists > 0);
  }

  /** Adds to counts of nodes without indexes of lists, and logs the changed rows. */
  async addWithoutLists(
    writer: BatchWriter,
    rows: readonly DeltaRow[],
    uidsOf: (kind: string) => string,
  ): Promise<void> {
    const changes = new Map(
      rows.flatMap(([uid, kind, , , changes]) => (uid === "" ? [[kind, changes] as const] : [])),
    );
    const sums = sumsAndLog(writer.dialect, rows, uidsOf);
    writer.expect<LoggedRow>(sums, new ChangesOfListed(rows), (logged) => {
      for (const [kind, version] of logged) {
        const one = { kind, version, since: version - (changes.get(kind) ?? 0) };
        if (isTrimmedAt(one)) this.#trims.set(kind, one);
      }
    });
    for (const kind of changes.keys()) {
      const trim = this.#trims.get(kind);
      this.#trims.delete(kind);
      if (trim !== undefined) await trimLog(writer, trim);
    }
  }
}

type LoggedRow = readonly [kind: string, version: number, isExpected: number];

function keyOf(uid: string, kind: string): string {
  return `${kind} ${uid}`;
}

/** Adds to the counts of nodes. */
export function sumsOf(dialect: Dialect, rows: readonly DeltaRow[]): Sql {
  const given = `(${dialect.tuples(...COLUMNS)}) given`;
  return { text: upsert(dialect, given), params: [JSON.stringify(rows)] };
}

/** Adds to the counts of nodes, logs the changed rows, and fails if a node has indexes of lists. */
function sumsAndLog(
  dialect: Dialect,
  rows: readonly DeltaRow[],
  uidsOf: (kind: string) => string,
): Sql {
  const { tuples, asInteger } = dialect;
  const given = rows.map((row) => [...row, row[0] === "" ? uidsOf(row[1]) : ""]);
  return {
    text: `WITH given AS (${tuples(...COLUMNS, "uids")}),
      stored AS (${upsert(dialect, "given")}),
      logged AS (INSERT INTO row_log (kind, version, since, uids)
        SELECT stored.kind, stored.changes, stored.changes - ${asInteger("given.changes")}, given.uids
        FROM stored JOIN given ON given.uid = stored.uid AND given.kind = stored.kind
        WHERE stored.uid = '')
      SELECT kind, changes, 1 / (SELECT CASE WHEN max(lists) = 0 THEN 1 ELSE 0 END FROM stored)
      FROM stored WHERE uid = ''`,
    params: [JSON.stringify(given)],
  };
}

const COLUMNS = ["uid", "kind", "children", "descendants", "changes"];

function upsert({ asInteger }: Dialect, given: string): string {
  return `INSERT INTO counts (uid, kind, children, descendants, changes)
    SELECT uid, kind, ${["children", "descendants", "changes"].map(asInteger).join(", ")}
    FROM ${given} WHERE true ORDER BY 1, 2
    ON CONFLICT (uid, kind) DO UPDATE SET
      children = counts.children + excluded.children,
      descendants = counts.descendants + excluded.descendants,
      changes = counts.changes + excluded.changes
    RETURNING uid, kind, changes, lists`;
}
