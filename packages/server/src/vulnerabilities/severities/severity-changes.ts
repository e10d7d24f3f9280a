import { timestampFromMs, timestampMs } from "@bufbuild/protobuf/wkt";
import { type Advisory, parentOf } from "@wharf/contract";
import type { Catalog, ResourceStore } from "../../engine/catalog.ts";
import type { Transaction } from "../../store/db/commit/transaction.ts";
import { indexable } from "../../store/resources/indexable.ts";
import { stepByTerm } from "../../store/resources/terms/term-walk.ts";
import {
  advanceSeverityChange,
  groupsWithSeverityChanges,
  type SeverityChange,
  severityChanges,
} from "../../store/tables/advisories/severity-changes.ts";
import { followUpdateTime } from "../../store/tables/advisories/sources.ts";
import { advisories } from "../advisories.ts";
import { allocateUpdateTime } from "../writer.ts";

/**
 * Advisories per transaction: any number of them may share a vulnerability, and other writers wait for the
 * lock meanwhile.
 */
const BATCH_SIZE = 250;

/**
 * Gives a new update time to all advisories whose severities have changed by an import into a group, so that
 * incremental readers see them. If the process stops, the next import into the group or the next start
 * continues.
 */
export async function settleSeverities(
  deps: ResourceStore,
  group: string,
  signal?: AbortSignal,
): Promise<void> {
  while ((await severityChanges(deps.store.reader, group, 1)).length > 0) {
    if (signal?.aborted) return;
    await deps.store.write((tx) => settleBatch(deps.catalog, tx, group));
  }
}

/** Continues for all groups with queued changes. */
export async function resumeSeverities(deps: ResourceStore, signal: AbortSignal): Promise<void> {
  for (const group of await groupsWithSeverityChanges(deps.store.reader)) {
    await settleSeverities(deps, group, signal);
  }
}

async function settleBatch(catalog: Catalog, tx: Transaction, group: string): Promise<void> {
  const updateTime = timestampFromMs(await allocateUpdateTime(tx));
  let left = BATCH_SIZE;
  for (const change of await severityChanges(tx, group, BATCH_SIZE)) {
    const { name, lastRow } = change;
    const walk = { kind: "alias", below: group, value: name };
    const at = { value: name, row: lastRow };
    const { rows, visited, next } = await stepByTerm(tx, advisories.table, walk, at, left);
    for (const row of rows) {
      const advisory = advisories.fromRow(row);
      if (!(await needsUpdate(catalog, tx, advisory, change))) continue;
      await advisories.table.update(tx, advisories.toRow({ ...advisory, updateTime }));
      const before = advisory.updateTime === undefined ? 0 : timestampMs(advisory.updateTime);
      await followUpdateTime(tx, advisory.uid, before, timestampMs(updateTime));
    }
    await advanceSeverityChange(tx, group, name, next?.row);
    left -= Math.max(visited, 1);
    if (left <= 0) return;
  }
}

/** Deleted advisories have no severities, and advisories updated since are visible anyway. */
async function needsUpdate(
  catalog: Catalog,
  tx: Transaction,
  { uid, updateTime, deleteTime, aliases }: Advisory,
  { time, beside }: SeverityChange,
): Promise<boolean> {
  if (deleteTime !== undefined) return false;
  const names = JSON.parse(beside) as string[];
  const own = new Set(aliases.map(indexable));
  if (names.length > 0 && names.every((name) => own.has(name))) return false;
  if (updateTime !== undefined && timestampMs(updateTime) >= time) return false;
  return catalog.groups.table.keep(tx, parentOf(uid));
}
