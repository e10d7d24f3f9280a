/** The server's limit of digests in a request. */
const MAX_DIGESTS = 200;

type Load<T> = (repo: string, digests: string[]) => Promise<ReadonlyMap<string, T>>;

/** The digests of a repo that were asked for since the last request, and what they will be answered with. */
interface Batch<T> {
  readonly digests: Set<string>;
  readonly found: Promise<ReadonlyMap<string, T>>;
}

/**
 * Reads of one digest that become one request for all rows of a page.
 *
 * @example const readImage = batched(async (repoUid, digests) => mapOf(await listImages({ repoUid, digests })));
 */
export function batched<T>(
  load: Load<T>,
): (repo: string, digest: string) => Promise<T | undefined> {
  const waiting = new Map<string, Batch<T>>();

  async function send(repo: string, digests: Set<string>): Promise<ReadonlyMap<string, T>> {
    // All rows are rendered before the next task.
    await new Promise((resolve) => setTimeout(resolve));
    if (waiting.get(repo)?.digests === digests) waiting.delete(repo);
    return load(repo, [...digests]);
  }

  return async (repo, digest) => {
    const open = waiting.get(repo);
    if (open !== undefined && open.digests.size < MAX_DIGESTS) {
      open.digests.add(digest);
      return (await open.found).get(digest);
    }
    const digests = new Set([digest]);
    const found = send(repo, digests);
    waiting.set(repo, { digests, found });
    return (await found).get(digest);
  };
}
