import type { BatchWriter } from "./batch-writer.ts";

/** Access changed during a transaction that depended on it. */
export class AccessChanged extends Error {}

/** For changes of access that depend on no version. */
export const ANY_VERSION = -1;

/** The access version of a transaction that changes access. */
export interface AdvancedAccess {
  readonly version: number;
  /** Whether nothing but grants has changed. */
  readonly isOnlyGrants: boolean;
}

/** Increments the access version; the batch must run again if a change relied on another than the last one. */
export async function advanceAccessVersion(
  writer: BatchWriter,
  reliedOn: ReadonlySet<number>,
): Promise<number> {
  const sql =
    "UPDATE access_version SET version = version + 1, logged = logged + 1 RETURNING version";
  const moved = (await writer.get<{ version: number }>(sql))?.version ?? 0;
  for (const version of reliedOn) {
    if (version !== moved - 1 && version !== ANY_VERSION) throw new AccessChanged();
  }
  return moved;
}
