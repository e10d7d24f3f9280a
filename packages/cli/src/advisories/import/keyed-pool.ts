/** How many requests are on their way at a time: one is worked on, the others wait at its door. */
const AT_ONCE = 3;

/**
 * Work on things, a few at a time. Things that share a key are worked on one after the other, in the
 * order in which they come. The first failure ends it, once all that is under way has ended.
 */
export async function inFlight<T>(
  things: AsyncIterable<T>,
  keysOf: (thing: T) => readonly string[],
  work: (thing: T) => Promise<void>,
  isOver: () => boolean,
): Promise<void> {
  const running = new Map<Promise<void>, ReadonlySet<string>>();
  const failures: unknown[] = [];
  const isEnough = () => failures.length > 0 || isOver();
  const start = (thing: T, keys: readonly string[]) => {
    const one = work(thing)
      .catch((thrown) => {
        failures.push(thrown);
      })
      .finally(() => running.delete(one));
    running.set(one, new Set(keys));
  };
  for await (const thing of things) {
    if (isEnough()) break;
    const keys = keysOf(thing);
    const conflicts = () => [...running.values()].some((busy) => keys.some((key) => busy.has(key)));
    while (running.size >= AT_ONCE || conflicts()) await Promise.race(running.keys());
    if (isEnough()) break;
    start(thing, keys);
    // Lets requests go out before the next batch is read, which takes all of this thread.
    await new Promise((resolve) => setImmediate(resolve));
  }
  await Promise.all(running.keys());
  if (failures.length > 0) throw failures[0];
}
