import type { QueryClient } from "@tanstack/react-query";

/** Fields of a resource that a change sets. */
export type Guess = { readonly uid?: string } & Readonly<Record<string, unknown>>;

/**
 * Shows a resource as it will be once the server has accepted a change, wherever it was read: alone, in lists and in
 * pages of lists. Returns what takes it back. For changes whose wrong guess does no harm, such as a name; never for
 * what somebody may do.
 */
export async function showGuess(
  cache: QueryClient,
  service: string,
  guess: Guess,
): Promise<() => void> {
  const queryKey = [service];
  // A read that is on its way would show the earlier state.
  await cache.cancelQueries({ queryKey });
  const before = cache.getQueriesData({ queryKey });
  for (const [key, data] of before) cache.setQueryData(key, withGuess(data, guess));
  return () => {
    for (const [key, data] of before) cache.setQueryData(key, data);
  };
}

function withGuess(data: unknown, guess: Guess): unknown {
  if (Array.isArray(data)) return data.map((one) => withGuess(one, guess));
  if (typeof data !== "object" || data === null) return data;
  if ("uid" in data && data.uid === guess.uid) return { ...data, ...guess };
  return Object.fromEntries(
    Object.entries(data).map(([name, value]) => [
      name,
      Array.isArray(value) ? withGuess(value, guess) : value,
    ]),
  );
}
