import { ancestorsOf, type RetentionPolicy } from "@wharf/contract";
import type { Catalog } from "../../engine/catalog.ts";
import type { Reader } from "../../store/db/connection.ts";

export const DAY_MS = 24 * 3_600_000;

/** Days for which a deleted tag can be restored where no policy says otherwise. */
const DEFAULT_RESTORE_DAYS = 7;

/** The policy of a repo: that of the repo, or else of the nearest group. The others do not apply. */
export async function effectivePolicy(
  catalog: Catalog,
  reader: Reader,
  repo: string,
): Promise<RetentionPolicy | undefined> {
  const scopes = [repo, ...ancestorsOf(repo)];
  const found = await catalog.retentionPolicies.findMany(reader, scopes);
  return scopes.map((uid) => found.get(uid)).find((policy) => policy !== undefined);
}

/** The time for which a deleted tag can be restored. */
export function restoreMs(policy: Pick<RetentionPolicy, "restoreDays"> | undefined): number {
  return (policy?.restoreDays ?? DEFAULT_RESTORE_DAYS) * DAY_MS;
}
