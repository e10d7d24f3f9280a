import type { Advisory, AdvisoryEvent } from "@wharf/contract";
import type { Reach } from "../auth/grants.ts";
import type { Transaction } from "../store/db/commit/transaction.ts";
import type { Reader } from "../store/db/connection.ts";
import { indexable } from "../store/resources/indexable.ts";
import type { Condition } from "../store/resources/query.ts";
import {
  addSubpackages,
  type Subpackage,
  subpackagesOf,
} from "../store/tables/advisories/subpackages.ts";

/** The term kind of the origin filter, before withOrigins resolves it. */
export const ORIGIN = "origin";

/**
 * Indexes the subpackages of artifacts. A scanner that finds a component in a subpackage names it in its
 * detection.
 */
export async function indexSubpackages(
  tx: Transaction,
  group: string,
  all: readonly Advisory[],
): Promise<void> {
  const named = new Map<string, Subpackage>();
  for (const { artifactName, events } of all) {
    const origin = indexable(artifactName);
    for (const name of events.flatMap(subpackagesIn).map(indexable)) {
      if (name !== origin) named.set(`${origin} ${name}`, { group, origin, name });
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
 * Replaces the origin filter by a filter on artifacts: the origin itself, and its subpackages in all groups
 * that the caller can list.
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
