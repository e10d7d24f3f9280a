import type { Reader, Writer } from "../db/connection.ts";

/** The log covers this many changes of each kind. What was derived from older rows is derived again. */
const RETAINED_CHANGES = 20_000;

/** The log is trimmed once for this many changes. */
const TRIM_INTERVAL = 256;

/** Beyond this many rows of one kind, a transaction does not name them. */
const MAX_NAMED_ROWS = 500;

/** Transactions whose changes are read at most: beyond, deriving again costs less. */
const MAX_READ = 5_000;

/** The number of changes of a kind after a transaction, and before it: `changes` of the node above all roots. */
export interface KindVersion {
  readonly kind: string;
  readonly version: number;
  readonly since: number;
}

/**
 * The rows that a transaction changes, by kind. They are logged under its new version of the kind, so that what any
 * process derived from the rows (ids in an order, counts) is corrected instead of derived again. Every transaction
 * updates the node above all roots, so versions are in the order of commits.
 */
export class RowLog {
  /** Uids by kind; undefined for rows that are not named. */
  readonly #changed = new Map<string, Set<string> | undefined>();

  /** Records a changed row; undefined for many rows. */
  record(kind: string, uid: string | undefined): void {
    const known = this.#changed.get(kind);
    if (known === undefined && this.#changed.has(kind)) return;
    const uids = known ?? new Set();
    this.#changed.set(kind, uids);
    if (uid !== undefined) uids.add(uid);
    if (uid === undefined || uids.size > MAX_NAMED_ROWS) this.#changed.set(kind, undefined);
  }

  add(other: RowLog): void {
    for (const [kind, uids] of other.#changed) {
      if (uids === undefined) this.record(kind, undefined);
      else for (const uid of uids) this.record(kind, uid);
    }
  }

  /** The rows of a kind as they are logged; empty if they are not named. */
  uidsOf(kind: string): string {
    const uids = this.#changed.get(kind);
    return uids === undefined ? "" : JSON.stringify([...uids]);
  }

  async store(writer: Writer, versions: readonly KindVersion[]): Promise<void> {
    const rows = versions.map(({ kind, version, since }) => {
      return [kind, version, since, this.uidsOf(kind)];
    });
    if (rows.length === 0) return;
    const { tuples, asInteger } = writer.dialect;
    await writer.run(
      `INSERT INTO row_log (kind, version, since, uids)
       SELECT kind, ${asInteger("version")}, ${asInteger("since")}, uids
       FROM (${tuples("kind", "version", "since", "uids")}) given`,
      JSON.stringify(rows),
    );
  }
}

/** Deletes what the log no longer covers, after every interval of changes of a kind. */
export async function trimRowLog(writer: Writer, versions: readonly KindVersion[]): Promise<void> {
  for (const { kind, version, since } of versions) {
    if (Math.floor(version / TRIM_INTERVAL) === Math.floor(since / TRIM_INTERVAL)) continue;
    const sql = "DELETE FROM row_log WHERE kind = ? AND version <= ?";
    await writer.run(sql, kind, version - RETAINED_CHANGES);
  }
}

/** The changes of rows of a kind since a version. */
export interface LoggedRows {
  readonly version: number;
  /**
   * The uids of rows that were created, updated or deleted. Undefined when they are not known: the log does not go
   * back that far, a transaction changed too many, or a server of an older version changed some.
   */
  readonly uids: ReadonlySet<string> | undefined;
}

type LogRow = readonly [
  current: number,
  since: number | null,
  version: number | null,
  uids: string | null,
];

export async function readRowVersion(reader: Reader, kind: string): Promise<number> {
  const sql = "SELECT changes FROM counts WHERE uid = '' AND kind = ?";
  return (await reader.get<{ changes: number }>(sql, kind))?.changes ?? 0;
}

/** Reads the version of a kind and its changes since another one, by one statement: both are of the same moment. */
export async function readLoggedRows(
  reader: Reader,
  kind: string,
  seen: number,
): Promise<LoggedRows> {
  const rows = await reader.arrays<LogRow>(
    `SELECT c.changes, r.since, r.version, r.uids
     FROM counts c LEFT JOIN row_log r ON r.kind = c.kind AND r.version > ?
     WHERE c.uid = '' AND c.kind = ? ORDER BY r.version LIMIT ?`,
    seen,
    kind,
    MAX_READ,
  );
  const current = rows[0]?.[0] ?? 0;
  return { version: current, uids: current === seen ? new Set() : namedRows(rows, seen, current) };
}

/** The rows of a log that covers all changes between two versions. */
function namedRows(
  rows: readonly LogRow[],
  seen: number,
  current: number,
): ReadonlySet<string> | undefined {
  const all = new Set<string>();
  let at = seen;
  for (const [, since, version, uids] of rows) {
    if (since !== at || version === null || !uids) return undefined;
    for (const uid of JSON.parse(uids) as string[]) all.add(uid);
    at = version;
  }
  return at === current ? all : undefined;
}
