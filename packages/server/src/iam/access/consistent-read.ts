import { aborted } from "../../lib/errors.ts";
import type { Store } from "../../store/db/store.ts";

/** Attempts to read while access does not change. */
const MAX_ATTEMPTS = 10;

/**
 * Reads by several statements at one access version: again if access changes meanwhile. Rejects while it changes all the
 * time: an answer of two moments could show access that nobody ever had.
 */
export async function readConsistently<T>(
  store: Pick<Store, "accessVersion">,
  read: (version: number) => Promise<T>,
): Promise<T> {
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
    const version = await store.accessVersion();
    const found = await read(version);
    if ((await store.accessVersion()) === version) return found;
  }
  throw aborted("access changed each time it was read: try again");
}
