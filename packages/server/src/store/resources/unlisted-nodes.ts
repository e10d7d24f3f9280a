import { BoundedCache } from "../../lib/bounded-cache.ts";

/** Nodes of one kind each; the answer tells about all others. */
const MAX_NODES = 20_000;

/**
 * Nodes of which the last answer said that they have no indexes of lists. A transaction that changes rows below such
 * nodes only need not wait for its counts. Any replica may have made an index since, so its statement fails then.
 */
export class UnlistedNodes {
  readonly #known = new BoundedCache<string, true>({ maxEntries: MAX_NODES });

  has(uid: string, kind: string): boolean {
    return this.#known.get(keyOf(uid, kind)) === true;
  }

  /** Records the number of indexes of a node. */
  answered(uid: string, kind: string, lists: number): void {
    const key = keyOf(uid, kind);
    if (lists === 0) this.#known.set(key, true);
    else this.#known.delete(key);
  }
}

function keyOf(uid: string, kind: string): string {
  return `${kind} ${uid}`;
}
