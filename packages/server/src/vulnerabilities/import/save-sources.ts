import type { Advisory } from "@wharf/contract";
import {
  deleteSource,
  deleteUnusedRecords,
  putSource,
  type StoredSource,
} from "../../store/tables/advisories/sources.ts";
import { sourceInUse } from "../sources/definition.ts";
import type { AdvisoryWriter } from "../writer.ts";
import type { PlannedSource } from "./source-plan.ts";

/** Sources per advisory: the one in use, and some that await approval. */
const MAX_SOURCES = 10;

/** Stores the planned sources of an advisory, and deletes those that are no longer needed. */
export async function saveSources(
  { change: { tx }, group, time: imported }: AdvisoryWriter,
  advisory: Advisory,
  stored: readonly StoredSource[],
  planned: readonly PlannedSource[],
): Promise<void> {
  for (const { modified = imported, ...source } of planned) {
    const { uid } = advisory;
    await putSource(tx, { ...source, advisory: uid, group, imported, modified });
  }
  const times = new Set([...planned, ...stored].map(({ time }) => time));
  const all = [...times].sort((a, b) => b - a).map((time) => ({ time }));
  const inUse = sourceInUse(advisory, all)?.time ?? Number.NEGATIVE_INFINITY;
  for (const [at, { time }] of all.entries()) {
    const isObsolete = time < inUse || (at >= MAX_SOURCES && time !== inUse);
    if (isObsolete) await deleteSource(tx, { advisory: advisory.uid, time });
  }
  await deleteUnusedRecords(
    tx,
    group,
    stored.map(({ digest }) => digest),
  );
}
