import { setTimeout as sleep } from "node:timers/promises";

/**
 * Waits until a function returns something.
 *
 * @example const failed = await until(async () => (await list()).find(({ state }) => state === "FAILED"));
 */
export async function until<T>(read: () => Promise<T | undefined>): Promise<T> {
  for (;;) {
    const found = await read();
    if (found !== undefined) return found;
    await sleep(20);
  }
}
