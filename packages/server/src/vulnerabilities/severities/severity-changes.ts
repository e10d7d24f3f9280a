import { timestampFromMs, timestampMs } from "@bufbuild/protobuf/wkt";
import { type Advisory, parentOf } from "@wharf/contract";
import type { Engine } from "../../engine/engine.ts";
import type { Transaction } from "../../store/db/group-commit.ts";
import { indexable } from "../../store/resources/indexable.ts";
import { stepByTerm } from "../../store/resources/term-walk.ts";
import {
  moveSeverityChange,
  placesOfSeverityChanges,
  type SeverityChange,
  severityChanges,
} from "../../store/tables/severity-changes.ts";
import { advisories } from "../advisories.ts";
import { takeUpdateTurn } from "../update-turn.ts";

/**
 * So many advisories get a new update time in one transaction: a vulnerability may be in any number
 * of them, and others wait for their turn meanwhile.
 */
const TOGETHER = 250;

/**
 * Gives a new update time to all advisories whose severities have changed by what was brought into a
 * group, so that whoever reads what has changed sees them. What is left when the process ends, the
 * next import into the group or the next start goes on with.
 *
 * @example await settleSeverities(engine, group);
 */
export async function settleSeverities(
  engine: Engine,
  group: string,
  signal?: AbortSignal,
): Promise<void> {
  while ((await severityChanges(engine.store.reader, group, 1)).length > 0) {
    if (signal?.aborted) return;
    await engine.store.write((tx) => settleSome(engine, tx, group));
  }
}

/**
 * Goes on with all that was left.
 *
 * @example await resumeSeverities(engine, stopping.signal);
 */
export async function resumeSeverities(engine: Engine, signal: AbortSignal): Promise<void> {
  for (const group of await placesOfSeverityChanges(engine.store.reader)) {
    await settleSeverities(engine, group, signal);
  }
}

async function settleSome(engine: Engine, tx: Transaction, group: string): Promise<void> {
  const updateTime = timestampFromMs(await takeUpdateTurn(tx));
  let left = TOGETHER;
  for (const change of await severityChanges(tx, group, TOGETHER)) {
    const { name, lastRow } = change;
    const walk = { kind: "alias", below: group, value: name };
    const at = { value: name, row: lastRow };
    const { rows, passed, next } = await stepByTerm(tx, advisories.table, walk, at, left);
    for (const row of rows) {
      const advisory = advisories.fromRow(row);
      if (!(await needsUpdate(engine, tx, advisory, change))) continue;
      await advisories.table.update(tx, advisories.toRow({ ...advisory, updateTime }));
    }
    await moveSeverityChange(tx, group, name, next?.row);
    left -= Math.max(passed, 1);
    if (left <= 0) return;
  }
}

/** Nobody keeps severities of what was deleted; and what has been updated since is seen anyway. */
async function needsUpdate(
  engine: Engine,
  tx: Transaction,
  { uid, updateTime, deleteTime, aliases }: Advisory,
  { time, beside }: SeverityChange,
): Promise<boolean> {
  if (deleteTime !== undefined) return false;
  const names = JSON.parse(beside) as string[];
  const own = new Set(aliases.map(indexable));
  if (names.length > 0 && names.every((name) => own.has(name))) return false;
  if (updateTime !== undefined && timestampMs(updateTime) >= time) return false;
  return engine.catalog.groups.table.keep(tx, parentOf(uid));
}
