import { setTimeout as sleep } from "node:timers/promises";

/** Longer than anything takes on the slowest machine. */
const TIMEOUT_MS = 300_000;

/**
 * Waits until a question is answered with something.
 *
 * @example const failed = await until(async () => (await list()).find(({ state }) => state === "FAILED"));
 */
export async function until<T>(
  ask: () => Promise<T | undefined | false>,
  everyMs = 20,
): Promise<T> {
  const end = Date.now() + TIMEOUT_MS;
  for (;;) {
    const answer = await ask();
    if (answer !== undefined && answer !== false) return answer;
    if (Date.now() > end) throw new Error(`it never came true: ${ask}`);
    await sleep(everyMs);
  }
}
