import { isObject } from "../../lib/json-values.ts";
import { exploitedNames } from "../../store/tables/exposure/sources/facts.ts";
import { SourceError } from "./errors.ts";
import { type FactsTarget, importFile, updateFacts } from "./facts.ts";
import type { SourceTally } from "./result.ts";
import { type SourceProgress, type SourceRun, timeOf } from "./run.ts";

/** Names per transaction. */
const BATCH_SIZE = 500;

const CVE = /^CVE-\d{4}-\d{4,}$/;

/** Imports the catalog of exploited vulnerabilities. */
export function importKev(run: SourceRun): Promise<SourceProgress> {
  return importFile(run, async ({ file, lastModified }) => {
    return (await storeKev(run, await file.json())) ?? timeOf(lastModified);
  });
}

/** Stores a catalog. Vulnerabilities that it does not list any more are not exploited any more. Returns its time. */
export async function storeKev(target: FactsTarget, catalog: unknown): Promise<number | undefined> {
  const listed = listedIn(catalog, target.tally);
  const stored = await exploitedNames(target.store.reader);
  const removed = stored.filter((name) => !listed.has(name));
  const all = [...listed, ...removed.map((name) => [name, 0] as const)];
  for (let at = 0; at < all.length; at += BATCH_SIZE) {
    target.signal.throwIfAborted();
    await writeExploited(target, all.slice(at, at + BATCH_SIZE));
  }
  target.tally.records += listed.size;
  return timeOf(isObject(catalog) ? catalog.dateReleased : undefined);
}

/** The times at which vulnerabilities were listed, by name. Throws if it is no whole catalog. */
function listedIn(catalog: unknown, tally: SourceTally): Map<string, number> {
  const { vulnerabilities, count } = isObject(catalog) ? catalog : {};
  if (!Array.isArray(vulnerabilities) || vulnerabilities.length === 0) {
    throw new SourceError("INVALID_DATA", "it is no catalog: it has no vulnerabilities");
  }
  if (count !== undefined && count !== vulnerabilities.length) {
    const text = `it is not complete: it has ${vulnerabilities.length} vulnerabilities, and counts ${count}`;
    throw new SourceError("INVALID_DATA", text);
  }
  const listed = new Map<string, number>();
  for (const [position, one] of vulnerabilities.entries()) {
    const { cveID, dateAdded } = isObject(one) ? one : {};
    const time = timeOf(dateAdded);
    if (typeof cveID !== "string" || !CVE.test(cveID) || time === undefined || time <= 0) {
      const name = typeof cveID === "string" ? cveID : `vulnerabilities[${position}]`;
      tally.reject(name, "has no CVE, or no date at which it was added");
    } else listed.set(cveID, time);
  }
  if (listed.size > 0) return listed;
  throw new SourceError("INVALID_DATA", "it is no catalog: it lists no CVE");
}

function writeExploited(
  target: FactsTarget,
  listed: readonly (readonly [name: string, time: number])[],
): Promise<void> {
  const names = listed.map(([name]) => name);
  return updateFacts(target, names, (stored) =>
    listed.flatMap(([name, exploited]) => {
      const before = stored.get(name) ?? { name, exploited: 0, probability: 0, percentile: 0 };
      return before.exploited === exploited ? [] : [{ ...before, exploited }];
    }),
  );
}
