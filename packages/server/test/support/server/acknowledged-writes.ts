import type { ApiClient } from "../client/api-client.ts";
import { ApiError } from "../client/api-error.ts";

/** What the service has acknowledged, by uid. */
export class Acknowledged {
  /** The description that was last acknowledged, and one that was asked for and not answered. */
  readonly groups = new Map<string, { description: string; asked?: string }>();
  readonly deleted = new Set<string>();
  /** Those whose deletion was asked for and not answered: they may be there or not. */
  readonly doubtful = new Set<string>();
  /** Organizations that a member made, each in one step with its owner's binding. */
  readonly organizations = new Set<string>();
  readonly #awaited = new Map<number, () => void>();
  #total = 0;

  /** Counts one more acknowledgement. */
  add(): void {
    this.#total += 1;
    this.#awaited.get(this.#total)?.();
  }

  /** Resolves with the acknowledgement of this number. */
  reaches(total: number): Promise<void> {
    return new Promise((resolve) => {
      this.#awaited.set(total, resolve);
    });
  }
}

/**
 * Writes as fast as the service takes it, keeping account of every acknowledgement, until the
 * service is gone.
 *
 * @example await Promise.all(apis.map((api) => writeUntilGone(api, maker, org, acknowledged)));
 */
export async function writeUntilGone(
  operator: ApiClient,
  maker: ApiClient,
  parent: string,
  acknowledged: Acknowledged,
): Promise<void> {
  const { groups, deleted, doubtful, organizations } = acknowledged;
  try {
    for (let n = 0; ; n++) {
      const { uid } = await operator.groups.create(parent, { name: "made", description: "0" });
      const group: { description: string; asked?: string } = { description: "0" };
      groups.set(uid, group);
      acknowledged.add();
      if (n % 2 === 0) {
        group.asked = "1";
        await operator.groups.update(uid, { description: "1" });
        group.description = "1";
        acknowledged.add();
      }
      if (n % 3 === 0) {
        doubtful.add(uid);
        await operator.groups.delete(uid);
        doubtful.delete(uid);
        deleted.add(uid);
        groups.delete(uid);
        acknowledged.add();
      }
      if (n % 4 === 0) {
        organizations.add((await maker.groups.create("", { name: "made by a member" })).uid);
        acknowledged.add();
      }
    }
  } catch (error) {
    // A refusal is an answer: the service was there and said no, which none of this deserves.
    if (error instanceof ApiError) throw error;
  }
}
