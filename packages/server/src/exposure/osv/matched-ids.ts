import { setImmediate } from "node:timers/promises";
import { ownOsvId } from "@wharf/advisories/publish";
import type { Reader } from "../../store/db/connection.ts";
import type { PackageKey } from "../../store/tables/exposure/records/records.ts";
import {
  type PackageRecord,
  visibleRecords,
} from "../../store/tables/exposure/records/visible-records.ts";
import { type ComparedRecord, MATCH_STATES, match } from "../matching/match.ts";
import { matchRelease } from "../releases.ts";
import { packagesOf, type QueriedPackage } from "./query.ts";

/** Records that are compared between two points where other requests may run. */
const COMPARED_PER_STEP = 500;

/** A record as matching reads it, with the id of its document. */
interface Candidate extends ComparedRecord {
  readonly id: string;
}

/**
 * The ids of the documents that answer queries, in order, each once. Versions that cannot be compared, and packages of an
 * unknown release, are answered with the records that may affect them.
 */
export async function matchedIds(
  reader: Reader,
  queried: readonly (QueriedPackage | undefined)[],
  scopes: readonly string[] | undefined,
): Promise<string[][]> {
  const packages = new Map<string, PackageKey>();
  for (const one of queried) {
    for (const key of one === undefined ? [] : packagesOf(one)) packages.set(keyOf(key), key);
  }
  const records = await visibleRecords(reader, [...packages.values()], scopes);
  const candidates = Map.groupBy(records.map(candidateOf), (one) =>
    keyOf([one.ecosystem, one.package]),
  );
  const found: string[][] = [];
  let compared = 0;
  for (const one of queried) {
    const ids = new Set<string>();
    const all =
      one === undefined ? [] : packagesOf(one).flatMap((key) => candidates.get(keyOf(key)) ?? []);
    for (const candidate of all) {
      if (++compared % COMPARED_PER_STEP === 0) await setImmediate();
      if (!ids.has(candidate.id) && answers(one as QueriedPackage, candidate))
        ids.add(candidate.id);
    }
    found.push([...ids].sort());
  }
  return found;
}

function answers(queried: QueriedPackage, candidate: Candidate): boolean {
  if (queried.version !== "") {
    const found = match(queried, candidate);
    return found !== undefined && found.state !== MATCH_STATES.notAffected;
  }
  // Without a version, all records of the package.
  const release = queried.release === "" ? undefined : queried.release;
  return matchRelease(candidate.release, queried.ecosystem, release) !== "other";
}

function candidateOf({ affected, detail, ...record }: PackageRecord): Candidate {
  const { id } = JSON.parse(detail) as { id: string };
  return { ...record, id: ownOsvId({ advisoryId: id }), affected: JSON.parse(affected) };
}

function keyOf([ecosystem, name]: PackageKey): string {
  return `${ecosystem}\n${name}`;
}
