import type { Advisory } from "@wharf/contract";
import type { Catalog } from "../../engine/catalog.ts";
import type { Transaction } from "../../store/db/commit/transaction.ts";
import type { Reader } from "../../store/db/connection.ts";
import type { Store } from "../../store/db/store.ts";
import {
  type AdvisoryPosition,
  advisoriesAfter,
} from "../../store/tables/exposure/records/records.ts";
import { readInstallation, replaceInstallation } from "../../store/tables/installation.ts";
import { type NamingDeps, namingOf } from "../../vulnerabilities/naming.ts";
import { addPublishedSources } from "../../vulnerabilities/sources/definition.ts";
import { saveRecords } from "./save-records.ts";

/** Advisories per transaction: each may have hundreds of package versions to compare. */
const BATCH_SIZE = 100;

/** The name of the position in the table of the installation. */
const POSITION = "exposure.advisories";

export interface FollowerDeps extends NamingDeps {
  readonly store: Store;
  readonly catalog: Catalog;
}

/**
 * Derives records from the next changed advisories, in the order of their update times, and requests what follows from
 * them. One bounded step, in one transaction with its position. Returns false if there was nothing to follow.
 */
export async function followAdvisories(
  deps: FollowerDeps,
  mayWork: () => Promise<boolean> = async () => true,
): Promise<boolean> {
  // Most steps find nothing, and must not wait for a transaction.
  if (!(await hasAdvisories(deps)) || !(await mayWork())) return false;
  await deps.store.write((tx) => followBatch(deps, tx));
  return true;
}

/** Whether there are advisories to follow. */
export async function hasAdvisories(
  deps: Pick<FollowerDeps, "store" | "catalog">,
): Promise<boolean> {
  const { reader } = deps.store;
  const position = readPosition(await readInstallation(reader, POSITION));
  return (await nextRows(deps, reader, position, 1)).length > 0;
}

async function followBatch(deps: FollowerDeps, tx: Transaction): Promise<void> {
  const position = readPosition(await readInstallation(tx, POSITION));
  const rows = await nextRows(deps, tx, position, BATCH_SIZE);
  const last = rows.at(-1);
  if (last === undefined) return;
  const { advisories } = deps.catalog;
  const changed: Advisory[] = rows.map((row) =>
    advisories.fromRow({ encoding: 0, data: row.data }),
  );
  await advisories.definition.hydrate?.(tx, changed, deps.catalog);
  await addPublishedSources(tx, changed);
  await saveRecords(tx, changed, namingOf(deps));
  await replaceInstallation(tx, POSITION, `${last.updated} ${last.id}`);
}

function nextRows(
  { catalog }: Pick<FollowerDeps, "catalog">,
  reader: Reader,
  position: AdvisoryPosition,
  limit: number,
) {
  const partitions = catalog.advisories.definition.index?.partitions?.all ?? [];
  return advisoriesAfter(reader, position, partitions, limit);
}

/** Until when changes of advisories are known, in milliseconds; undefined before the first one. */
export async function readMatchTime(reader: Reader): Promise<number | undefined> {
  const { updated } = readPosition(await readInstallation(reader, POSITION));
  return updated === 0 ? undefined : updated;
}

function readPosition(text = "0 -1"): AdvisoryPosition {
  const [updated, id] = text.split(" ").map(Number) as [number, number];
  return { updated, id };
}
