import {
  factsOf,
  type VulnerabilityFacts,
  writeFacts,
} from "../../store/tables/exposure/sources/facts.ts";
import type { FetchedFile } from "./fetcher.ts";
import { type SourceProgress, type SourceRun, UNCHANGED } from "./run.ts";

/** The store of facts, and their counts. */
export type FactsTarget = Pick<SourceRun, "store" | "tally" | "signal">;

/** Imports the one file of a source, if it has changed. `storeFile` returns its time. */
export async function importFile(
  run: SourceRun,
  storeFile: (fetched: FetchedFile) => Promise<number | undefined>,
): Promise<SourceProgress> {
  const fetched = await run.fetcher.only(run.position as never);
  if (fetched === undefined) return UNCHANGED;
  const { file, etag, lastModified } = fetched;
  try {
    const dataTime = await storeFile(fetched);
    await run.save({ etag, lastModified });
    return { isUnchanged: false, dataTime };
  } finally {
    await file.close();
  }
}

/** Stores the facts about some vulnerabilities that have changed, in one transaction, and counts them. */
export async function updateFacts(
  { store, tally }: FactsTarget,
  names: readonly string[],
  changesOf: (stored: ReadonlyMap<string, VulnerabilityFacts>) => VulnerabilityFacts[],
): Promise<void> {
  const changed = await store.write(async (tx) => {
    const facts = changesOf(await factsOf(tx, names));
    await writeFacts(tx, facts, Date.now());
    return facts.length;
  });
  tally.changed += changed;
}
