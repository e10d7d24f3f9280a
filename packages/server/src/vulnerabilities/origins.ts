import type { Advisory, AdvisoryEvent } from "@wharf/contract";
import type { Reach } from "../auth/grants.ts";
import type { Reader } from "../store/db/connection.ts";
import type { Transaction } from "../store/db/group-commit.ts";
import { indexable } from "../store/resources/indexable.ts";
import type { Condition } from "../store/resources/resource-table.ts";
import { addSubpackages, type Subpackage, subpackagesOf } from "../store/tables/subpackages.ts";

/** What the filter of origins is called until it is known what is built from one. */
export const ORIGIN = "origin";

/**
 * Notes the packages that advisories name as built from their artifact: a scanner that finds a
 * component in one says so.
 *
 * @example await noteSubpackages(tx, group, [advisory]);
 */
export async function noteSubpackages(
  tx: Transaction,
  group: string,
  all: readonly Advisory[],
): Promise<void> {
  const named = new Map<string, Subpackage>();
  for (const { artifactName, events } of all) {
    const origin = indexable(artifactName);
    for (const name of events.flatMap(subpackagesIn).map(indexable)) {
      if (name !== origin) named.set(`${origin} ${name}`, { place: group, origin, name });
    }
  }
  if (named.size > 0) await addSubpackages(tx, [...named.values()]);
}

function subpackagesIn({ type }: AdvisoryEvent): string[] {
  if (type.case !== "detection" || type.value.type.case !== "scanv1") return [];
  const { subpackage } = type.value.type.value;
  return subpackage === "" ? [] : [subpackage];
}

/**
 * Turns the filter of an origin into one of artifacts: the origin itself, and whatever is known to be
 * built from it in any group that the caller can see.
 *
 * @example const filters = await withOrigins(reader, asked, reach);
 */
export async function withOrigins(
  reader: Reader,
  filters: readonly Condition[],
  reach: Reach,
): Promise<readonly Condition[]> {
  const resolved: Condition[] = [];
  for (const one of filters) {
    if (!("kind" in one) || one.kind !== ORIGIN) {
      resolved.push(one);
      continue;
    }
    const [origin = ""] = one.anyOf;
    const tops = "everything" in reach ? undefined : reach.scopes;
    const names = await subpackagesOf(reader, origin, tops);
    resolved.push({ ...one, kind: "artifact", anyOf: [...new Set([origin, ...names])] });
  }
  return resolved;
}
