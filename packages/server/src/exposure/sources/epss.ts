import { setImmediate } from "node:timers/promises";
import { MILLION } from "../../store/tables/exposure/sources/facts.ts";
import { type EpssRow, readEpss } from "./epss-file.ts";
import { type FactsTarget, importFile, updateFacts } from "./facts.ts";
import type { SourceProgress, SourceRun } from "./run.ts";

/** Names per transaction. */
const BATCH_SIZE = 1_000;

/** Smaller changes of a probability, in millionths, are not stored: a hundredth. */
const MIN_CHANGE = MILLION / 100;

/** Imports probabilities of exploitation. */
export function importEpss(run: SourceRun): Promise<SourceProgress> {
  return importFile(run, ({ file }) => storeEpss(run, file));
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

async function writeProbabilities(target: FactsTarget, rows: readonly EpssRow[]): Promise<void> {
  const names = rows.map(({ name }) => name);
  await updateFacts(target, names, (stored) =>
    rows.flatMap(({ name, probability, percentile }) => {
      const before = stored.get(name);
      const change = Math.abs(probability - (before?.probability ?? 0));
      // A name that is new, or has no probability yet, is stored however small it is.
      const isNew = before === undefined || (before.probability === 0 && before.percentile === 0);
      if (change <= MIN_CHANGE && !isNew) return [];
      return [{ name, exploited: before?.exploited ?? 0, probability, percentile }];
    }),
  );
  target.tally.records += rows.length;
}
