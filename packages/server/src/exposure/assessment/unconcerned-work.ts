import { ancestorsOf, isUid } from "@wharf/contract";
import type { Reader } from "../../store/db/connection.ts";
import type { Store } from "../../store/db/store.ts";
import { indexable } from "../../store/resources/indexable.ts";
import { vulnerabilitiesWithFindings } from "../../store/tables/exposure/findings/findings.ts";
import { recordsWithMatches } from "../../store/tables/exposure/records/matches.ts";
import { finishAll, type Work } from "../../store/tables/exposure/work/work.ts";
import { decisions } from "../decisions.ts";
import { readVulnerabilityKey } from "../matching/request-assessment.ts";
import { closure } from "./knowledge.ts";
import { Vulnerabilities } from "./vulnerabilities.ts";

/**
 * Finishes the assessments of vulnerabilities that concern no image, all in one transaction, and returns the rest of a
 * batch: almost all advisories of a large import are about packages that no image contains. Like the assessment itself
 * (vulnerability-work.ts), this relies on the one worker: what was read holds until the end.
 */
export async function finishUnconcerned(
  store: Store,
  batch: readonly Work[],
): Promise<readonly Work[]> {
  const finished = new Set<Work>();
  for (const [scope, some] of assessmentsByScope(batch)) {
    const names = [...some.keys()];
    const concerned = await concernedNames(store.reader, scope, names);
    for (const [name, work] of some) if (!concerned.has(name)) finished.add(work);
  }
  if (finished.size === 0) return batch;
  await store.write((tx) => finishAll(tx, [...finished]));
  return batch.filter((work) => !finished.has(work));
}

/** By scope, and then by the name of the vulnerability. */
function assessmentsByScope(batch: readonly Work[]): Map<string, Map<string, Work>> {
  const byScope = new Map<string, Map<string, Work>>();
  for (const work of batch) {
    const key = work.kind === "vulnerability" ? readVulnerabilityKey(work.key) : undefined;
    if (key === undefined || !isUid(key.scope)) continue;
    const some = byScope.get(key.scope) ?? new Map<string, Work>();
    byScope.set(key.scope, some.set(key.name, work));
  }
  return byScope;
}

/**
 * The subset of names of which the vulnerability may concern an image: by a match of a record that has one of its names,
 * whichever record joins them, or by a finding under one, also a resolved one. Names with a decision are among them: its
 * expiry is requested when the assessment ends.
 */
async function concernedNames(
  reader: Reader,
  scope: string,
  names: readonly string[],
): Promise<ReadonlySet<string>> {
  const joinedNames = await closure(reader, names, { scope, above: ancestorsOf(scope) });
  const matched = await recordsWithMatches(reader, [
    ...new Set(joinedNames.found.map(({ record }) => record)),
  ]);
  const vulnerabilities = new Vulnerabilities(joinedNames.found);
  const firstNameOf = (name: string) => vulnerabilities.namesOf(name)[0] as string;
  const reached = [
    ...joinedNames.found.filter(({ record }) => matched.has(record)).map(({ name }) => name),
    ...(await vulnerabilitiesWithFindings(reader, [...joinedNames.names])),
  ];
  const concerned = new Set(reached.map(firstNameOf));
  const decided = await decisions.whereIn(reader, "vulnerability", names);
  return new Set([
    ...names.filter((name) => concerned.has(firstNameOf(name))),
    ...decided.map(({ vulnerability }) => indexable(vulnerability)),
  ]);
}
