import type { Reader, Writer } from "../db/connection.ts";

/** What grants changed: those of an identity ("" for every one) in one root ("" for all roots). */
export interface GrantChange {
  readonly identity: string;
  readonly root: string;
}

/** How far the log has come. */
export interface AccessLogPosition {
  readonly version: number;
  /** Moves with each version whose changes are in the log. */
  readonly logged: number;
}

/** The log covers this many access versions. Servers that are further behind compile everything again. */
const KEPT_VERSIONS = 10_000;

/** More changes than this are not worth reading: compiling again costs less. */
const MAX_CHANGES = 2_000;

/** Beyond this many roots a transaction logs one change of all that an identity holds. */
const MAX_ROOTS = 100;

/**
 * The changes of grants that one transaction makes. They are logged with the access version that it
 * moves to, so that servers that hold compiled grants compile only those again that changed.
 */
export class GrantChanges {
  /** Roots by identity. */
  readonly #changed = new Map<string, Set<string>>();

  note(identity: string, root: string): void {
    const roots = this.#changed.get(identity) ?? new Set();
    this.#changed.set(identity, roots);
    if (roots.has("")) return;
    roots.add(root);
    if (root !== "" && roots.size <= MAX_ROOTS) return;
    roots.clear();
    roots.add("");
  }

  add(other: GrantChanges): void {
    for (const [identity, roots] of other.#changed) {
      for (const root of roots) this.note(identity, root);
    }
  }

  /** Writes them, and drops what the log no longer covers. */
  async store(writer: Writer, version: number): Promise<void> {
    const rows = [...this.#changed].flatMap(([identity, roots]) => {
      return [...roots].map((root) => [String(version), identity, root]);
    });
    if (rows.length === 0) return;
    const { triples, asInteger } = writer.dialect;
    await writer.run(
      `INSERT INTO grant_changes (version, identity, root)
       SELECT ${asInteger("first")}, second, third FROM (${triples}) given`,
      JSON.stringify(rows),
    );
    await writer.run("DELETE FROM grant_changes WHERE version <= ?", version - KEPT_VERSIONS);
  }
}

/** What happened to grants since a position of the log. */
export interface LoggedGrantChanges {
  readonly position: AccessLogPosition;
  /**
   * Undefined when the changes cannot be known: the log no longer goes back that far, or a server that
   * does not write it changed access in between.
   */
  readonly changes: readonly GrantChange[] | undefined;
}

type NewsRow = readonly [
  version: number,
  logged: number,
  identity: string | null,
  root: string | null,
];

/**
 * Reads how far the log has come, and what it says since a position. One statement reads both, so that
 * nothing can be dropped from the log in between.
 *
 * @example const { position, changes } = await readGrantChanges(reader, seen);
 */
export async function readGrantChanges(
  reader: Reader,
  seen: AccessLogPosition,
): Promise<LoggedGrantChanges> {
  const rows = await reader.arrays<NewsRow>(
    `SELECT a.version, a.logged, c.identity, c.root
     FROM access_version a LEFT JOIN grant_changes c ON c.version > ? LIMIT ?`,
    seen.version,
    MAX_CHANGES + 1,
  );
  const [version, logged] = rows[0] ?? [0, 0];
  const moved = version - seen.version;
  const isCovered = moved >= 0 && moved < KEPT_VERSIONS && moved === logged - seen.logged;
  const changes = rows.flatMap(([, , identity, root]) => {
    return identity === null || root === null ? [] : [{ identity, root }];
  });
  return {
    position: { version, logged },
    changes: isCovered && rows.length <= MAX_CHANGES ? changes : undefined,
  };
}
