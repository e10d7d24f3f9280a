/** Requests in flight: the server processes one while the others are transferred. */
const CONCURRENCY = 3;

/**
 * Processes items concurrently. Items that share a key are processed one after the other, in order.
 * After the first failure no new item starts; items in progress are waited for.
 */
export async function processKeyed<T>(
  items: AsyncIterable<T>,
  keysOf: (item: T) => readonly string[],
  process: (item: T) => Promise<void>,
  isCanceled: () => boolean,
): Promise<void> {
  const running = new Map<Promise<void>, ReadonlySet<string>>();
  const failures: unknown[] = [];
  const isStopped = () => failures.length > 0 || isCanceled();
  const start = (item: T, keys: readonly string[]) => {
    const task = process(item)
      .catch((thrown) => {
        failures.push(thrown);
      })
      .finally(() => running.delete(task));
    running.set(task, new Set(keys));
  };
  for await (const item of items) {
    if (isStopped()) break;
    const keys = keysOf(item);
    const conflicts = () => [...running.values()].some((busy) => keys.some((key) => busy.has(key)));
    while (running.size >= CONCURRENCY || conflicts()) await Promise.race(running.keys());
    if (isStopped()) break;
    start(item, keys);
    // Sends requests before reading the next batch, which blocks this thread.
    await new Promise((resolve) => setImmediate(resolve));
  }
  await Promise.all(running.keys());
  if (failures.length > 0) throw failures[0];
}
