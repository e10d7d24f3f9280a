/**
 * Lets so many pieces of work run at a time; the others wait for their turn.
 *
 * @example const limit = limitOf(8); await Promise.all(names.map((name) => limit(() => look(name))));
 */
export function limitOf(most: number): <T>(work: () => Promise<T>) => Promise<T> {
  let running = 0;
  const waiting: (() => void)[] = [];
  return async (work) => {
    // Whoever ends hands its place on, so that nobody overtakes.
    if (running < most) running++;
    else await new Promise<void>((resolve) => waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next === undefined) running--;
      else next();
    }
  };
}
