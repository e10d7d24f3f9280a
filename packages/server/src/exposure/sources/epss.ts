import { setImmediate } from "node:timers/promises";
import {
  factsOf,
  MILLION,
  type VulnerabilityFacts,
  writeFacts,
} from "../../store/tables/exposure/sources/facts.ts";
import { type EpssRow, readEpss } from "./epss-file.ts";
import { type FactsTarget, type SourceProgress, type SourceRun, UNCHANGED } from "./run.ts";

/** Names per transaction. */
const BATCH_SIZE = 1_000;

/** Smaller changes of a probability, in millionths, are not stored: a hundredth. */
const MIN_CHANGE = MILLION / 100;

/** Imports probabilities of exploitation. */
export async function importEpss(run: SourceRun): Promise<SourceProgress> {
  const fetched = await run.fetcher.only(run.position as never);
  if (fetched === undefined) return UNCHANGED;
  const { file, etag, lastModified } = fetched;
  try {
    const dataTime = await storeEpss(run, file);
    await run.save({ etag, lastModified });
    return { isUnchanged: false, dataTime };
  } finally {
    await file.close();
  }
}

/** Stores probabilities. The file is read as a whole before anything is stored. Returns its time. */
export async function storeEpss(
  target: FactsTarget,
  file: { stream(): AsyncIterable<Uint8Array> },
): Promise<number | undefined> {
  let dataTime: number | undefined;
  for await (const { time } of readEpss(file.stream())) dataTime = time;
  let batch: EpssRow[] = [];
  const write = async () => {
    target.signal.throwIfAborted();
    await writeProbabilities(target, batch);
    batch = [];
    await setImmediate();
  };
  for await (const { rows, rejected } of readEpss(file.stream())) {
    for (const line of rejected) target.tally.reject(line, "is not a CVE with two probabilities");
    for (const row of rows) {
      batch.push(row);
      if (batch.length === BATCH_SIZE) await write();
    }
  }
  if (batch.length > 0) await write();
  return dataTime;
}

async function writeProbabilities(
  { store, tally }: FactsTarget,
  rows: readonly EpssRow[],
): Promise<void> {
  const changed = await store.write(async (tx) => {
    const stored = await factsOf(
      tx,
      rows.map(({ name }) => name),
    );
    const facts = rows.flatMap(({ name, probability, percentile }): VulnerabilityFacts[] => {
      const before = stored.get(name);
      const change = Math.abs(probability - (before?.probability ?? 0));
      // A name that is new, or has no probability yet, is stored however small it is.
      const isNew = before === undefined || (before.probability === 0 && before.percentile === 0);
      if (change <= MIN_CHANGE && !isNew) return [];
      return [{ name, exploited: before?.exploited ?? 0, probability, percentile }];
    });
    await writeFacts(tx, facts, Date.now());
    return facts.length;
  });
  tally.records += rows.length;
  tally.changed += changed;
}
