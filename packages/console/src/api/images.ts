import { type UseQueryResult, useQuery } from "@tanstack/react-query";
import type { ImageJson } from "@wharf/contract/messages";
import { api, client, serviceOf } from "./client.ts";

/** The server's limit of digests in a request. */
const MAX_DIGESTS = 200;

/** Digests of repos that were asked for since the last request, and what they will be answered with. */
const waiting = new Map<string, { digests: Set<string>; found: Promise<Map<string, ImageJson>> }>();

/** The image with a digest. All rows of a page are one request. */
export function useImage(repo: string, digest: string): UseQueryResult<ImageJson | null, Error> {
  return useQuery({
    queryKey: [serviceOf(api.images.list), "one", repo, digest],
    queryFn: async () => (await load(repo, digest)).get(digest) ?? null,
    enabled: digest !== "",
    staleTime: 60_000,
  });
}

/** The images with digests; those that are not known are missing. */
export function useImages(repo: string, digests: readonly string[]): UseQueryResult<ImageJson[]> {
  return useQuery({
    queryKey: [serviceOf(api.images.list), "some", repo, digests],
    queryFn: async () => {
      const found = await Promise.all(
        digests.map(async (one) => (await load(repo, one)).get(one) ?? []),
      );
      return found.flat();
    },
    enabled: digests.length > 0,
    staleTime: 60_000,
  });
}

function load(repo: string, digest: string): Promise<Map<string, ImageJson>> {
  const open = waiting.get(repo);
  if (open !== undefined && open.digests.size < MAX_DIGESTS) {
    open.digests.add(digest);
    return open.found;
  }
  const digests = new Set([digest]);
  const found = request(repo, digests);
  waiting.set(repo, { digests, found });
  return found;
}

async function request(repo: string, digests: Set<string>): Promise<Map<string, ImageJson>> {
  // All rows are rendered before the next task.
  await new Promise((resolve) => setTimeout(resolve));
  if (waiting.get(repo)?.digests === digests) waiting.delete(repo);
  const { images = [] } = await client.call(api.images.list, {
    repoUid: repo,
    digests: [...digests],
    pageSize: MAX_DIGESTS,
  });
  return new Map(images.map((image) => [image.digest ?? "", image]));
}
