import type { AdvancedAccess } from "../../db/commit/advance-access.ts";
import type { BatchWriter } from "../../db/commit/batch-writer.ts";
import type { Changes, Participant } from "../../db/commit/participant.ts";
import type { Transaction } from "../../db/commit/transaction.ts";
import type { Reader } from "../../db/connection.ts";

/** A change of the grants of an identity ("" for every one) in one root ("" for all roots). */
export interface GrantChange {
  readonly identity: string;
  readonly root: string;
}

/** The end of the log. */
export interface AccessLogPosition {
  readonly version: number;
  /** Grows with each version whose changes are in the log. */
  readonly logged: number;
}

/**
 * In place of a root, without an identity: the version changed nothing but the grants that are logged with it, neither
 * sessions, identities nor keys. Servers of earlier versions write no such row.
 */
const ONLY_GRANTS = "*";

/** The log covers this many access versions. Replicas that lag more compile all grants again. */
const RETAINED_VERSIONS = 10_000;

/** More changes than this are not worth reading: compiling again costs less. */
const MAX_CHANGES = 2_000;

/** Beyond this many roots a transaction logs one change of all grants of an identity. */
const MAX_ROOTS = 100;

/**
 * The changes of grants in one transaction. They are logged under its new access version, so that replicas
 * compile only the changed grants again.
 */
class GrantChanges implements Changes {
  /** Roots by identity. */
  readonly #changed = new Map<string, Set<string>>();

  record(identity: string, root: string): void {
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
      for (const root of roots) this.record(identity, root);
    }
  }

  /** Writes the changes, which may be the only changes of access, and trims the log. */
  async store(writer: BatchWriter, { version, isOnlyGrants }: AdvancedAccess): Promise<void> {
    const rows = [...this.#changed].flatMap(([identity, roots]) => {
      return [...roots].map((root) => [String(version), identity, root]);
    });
    if (rows.length === 0) return;
    if (isOnlyGrants) rows.push([String(version), "", ONLY_GRANTS]);
    const { tuples, asInteger } = writer.dialect;
    await writer.send(
      `INSERT INTO grant_changes (version, identity, root)
       SELECT ${asInteger("version")}, identity, root
       FROM (${tuples("version", "identity", "root")}) given`,
      JSON.stringify(rows),
    );
    await writer.send("DELETE FROM grant_changes WHERE version <= ?", version - RETAINED_VERSIONS);
  }
}

/**
 * Records that a transaction changes access by the grants of an identity ("" for every identity) in one root ("" for all
 * roots).
 */
export function grantsChanged(tx: Transaction, identity: string, root: string): void {
  tx.changes(GrantChanges).record(identity, root);
  tx.accessChanged("grants");
}

export const GRANT_CHANGES: Participant<GrantChanges> = {
  kind: GrantChanges,
  stage: "access",
  begin: () => ({
    write: async (writer, changes, access) => {
      if (access !== undefined) await changes.store(writer, access);
    },
  }),
};

/** The changes of grants since a position of the log. */
export interface LoggedGrantChanges {
  readonly position: AccessLogPosition;
  /**
   * Undefined when the log is incomplete: it does not go back that far, or a server of an older version,
   * which does not write it, changed access in between.
   */
  readonly changes: readonly GrantChange[] | undefined;
  /** Whether no other access has changed: sessions, identities, keys. */
  readonly isOnlyGrants: boolean;
}

type LogRow = readonly [
  version: number,
  logged: number,
  identity: string | null,
  root: string | null,
];

/**
 * Reads the end of the log and the changes since a position. One statement reads both, so that no change
 * can be trimmed in between.
 */
export async function readGrantChanges(
  reader: Reader,
  seen: AccessLogPosition,
): Promise<LoggedGrantChanges> {
  const rows = await reader.arrays<LogRow>(
    `SELECT a.version, a.logged, c.identity, c.root
     FROM access_version a LEFT JOIN grant_changes c ON c.version > ? LIMIT ?`,
    seen.version,
    MAX_CHANGES + 1,
  );
  const [version, logged] = rows[0] ?? [0, 0];
  const moved = version - seen.version;
  const isCovered = moved >= 0 && moved < RETAINED_VERSIONS && moved === logged - seen.logged;
  const isKnown = isCovered && rows.length <= MAX_CHANGES;
  const all = rows.flatMap(([, , identity, root]) => {
    return identity === null || root === null ? [] : [{ identity, root }];
  });
  const changes = all.filter(({ root }) => root !== ONLY_GRANTS);
  return {
    position: { version, logged },
    changes: isKnown ? changes : undefined,
    isOnlyGrants: isKnown && all.length - changes.length === moved,
  };
}
