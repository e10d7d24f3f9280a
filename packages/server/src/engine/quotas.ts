import { ancestorsOf } from "@wharf/contract";
import { failedPrecondition } from "../lib/errors.ts";
import type { Reader } from "../store/db/connection.ts";
import { readCounts } from "../store/resources/counts.ts";
import type { ResourceMessage } from "./definition.ts";
import type { Engine } from "./engine.ts";
import type { Mutation } from "./mutation.ts";
import type { Resource } from "./resource.ts";

/**
 * What the operator can limit in a group and everything below it. Clusters are part of the contract;
 * this service has none, so that limit never stands in anyone's way.
 */
export const QUOTAS = ["clusters", "idps", "repositories"] as const;

export type Quota = (typeof QUOTAS)[number];

/** A group that limits something, and how many it may hold. */
interface Limit {
  readonly group: string;
  readonly most: number;
}

/**
 * Refuses one more of a resource in a place where it, or anything above it, holds as many as it may.
 * Where there is a limit, all who create below it take turns, on all replicas: no two of them take
 * the last place. Where there is none, this reads the groups above and nothing else.
 *
 * @example await refusePastLimit(change, repos, group);
 */
export async function enforceQuota<R extends ResourceMessage>(
  { engine, tx }: Mutation,
  { table, definition, plural }: Resource<R>,
  place: string,
): Promise<void> {
  const limits = await limitsAt(engine, tx, place, definition.quota);
  if (limits.length > 0) await tx.acquireLock();
  for (const { group, most } of limits) {
    if ((await tx.countBelow(table.shape.name, group)) < most) continue;
    const description = `group ${JSON.stringify(group)} has reached its limit of ${most} ${plural}`;
    throw failedPrecondition({ type: "RESOURCE_LIMIT_EXCEEDED", subject: group, description });
  }
}

/**
 * Whether a place can take one more of a resource, as far as is known now.
 *
 * @example if (!(await hasRoom(engine, reader, engine.catalog.repos, group))) …
 */
export async function hasQuotaLeft<R extends ResourceMessage>(
  engine: Engine,
  reader: Reader,
  { table, definition }: Resource<R>,
  place: string,
): Promise<boolean> {
  for (const { group, most } of await limitsAt(engine, reader, place, definition.quota)) {
    const { descendants } = await readCounts(reader, table.shape.name, group);
    if (descendants >= most) return false;
  }
  return true;
}

async function limitsAt(
  { catalog: { groups } }: Engine,
  reader: Reader,
  place: string,
  limited: Quota | undefined,
): Promise<Limit[]> {
  if (limited === undefined) return [];
  const found = await groups.findMany(reader, [place, ...ancestorsOf(place)]);
  return [...found.values()].flatMap(({ uid, resourceLimits }) => {
    const most = resourceLimits[limited];
    return most === undefined ? [] : [{ group: uid, most }];
  });
}
