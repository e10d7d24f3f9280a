import type { Api } from "./api.ts";
import { Refusal } from "./api.ts";

/** What the service has acknowledged, by uid. */
export interface Acknowledged {
  /** The description that was last acknowledged, and one that was asked for and not answered. */
  readonly groups: Map<string, { description: string; asked?: string }>;
  readonly deleted: Set<string>;
  /** Those whose deletion was asked for and not answered: they may be there or not. */
  readonly doubtful: Set<string>;
  /** Organisations that a member made, each in one step with its owner's binding. */
  readonly organisations: Set<string>;
  total: number;
}

export function nothingYet(): Acknowledged {
  return {
    groups: new Map(),
    deleted: new Set(),
    doubtful: new Set(),
    organisations: new Set(),
    total: 0,
  };
}

/**
 * Writes as fast as the service takes it, keeping account of every acknowledgement, until the
 * service is gone.
 *
 * @example await Promise.all(apis.map((api) => write(api, maker, org, acknowledged)));
 */
export async function writeUntilGone(
  operator: Api,
  maker: Api,
  parent: string,
  acknowledged: Acknowledged,
): Promise<void> {
  const { groups, deleted, doubtful, organisations } = acknowledged;
  const done = () => {
    acknowledged.total += 1;
  };
  try {
    for (let n = 0; ; n++) {
      const { uid } = await operator.groups.create(parent, { name: "made", description: "0" });
      const group: { description: string; asked?: string } = { description: "0" };
      groups.set(uid, group);
      done();
      if (n % 2 === 0) {
        group.asked = "1";
        await operator.groups.update(uid, { description: "1" });
        group.description = "1";
        done();
      }
      if (n % 3 === 0) {
        doubtful.add(uid);
        await operator.groups.delete(uid);
        doubtful.delete(uid);
        deleted.add(uid);
        groups.delete(uid);
        done();
      }
      if (n % 4 === 0) {
        organisations.add((await maker.groups.create("", { name: "made by a member" })).uid);
        done();
      }
    }
  } catch (error) {
    // A refusal is an answer: the service was there and said no, which none of this deserves.
    if (error instanceof Refusal) throw error;
  }
}
