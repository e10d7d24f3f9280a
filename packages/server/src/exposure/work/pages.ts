import type { Transaction } from "../../store/db/commit/transaction.ts";
import type { Store } from "../../store/db/store.ts";
import { continueWork, finishWork, type Work } from "../../store/tables/exposure/work/work.ts";

/**
 * Does long work page by page, each in a transaction with its position, and finishes it. `doPage` returns the position
 * after which the next page begins; undefined after the last one.
 */
export async function workInPages(
  store: Store,
  work: Work,
  doPage: (tx: Transaction, after: string) => Promise<string | undefined>,
): Promise<void> {
  for (let next: string | undefined = work.cursor; next !== undefined; ) {
    const after: string = next;
    next = await store.write(async (tx) => {
      const last = await doPage(tx, after);
      await (last === undefined ? finishWork(tx, work) : continueWork(tx, work, last));
      return last;
    });
  }
}
