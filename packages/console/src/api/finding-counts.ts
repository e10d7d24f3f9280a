import { type UseQueryResult, useQuery } from "@tanstack/react-query";
import type { FindingCountsJson } from "@wharf/contract/messages";
import { batched } from "./batches.ts";
import { api, client, serviceOf } from "./client.ts";

const readCounts = batched<FindingCountsJson>(async (repoUid, digests) => {
  const { images = [] } = await client.call(api.findings.count, { repoUid, digests });
  return new Map(images.map((one) => [one.digest ?? "", one]));
});

/** The open findings of an image or an index; null of what is neither. All rows of a page are one request. */
export function useFindingCounts(
  repo: string,
  digest: string,
): UseQueryResult<FindingCountsJson | null, Error> {
  return useQuery({
    queryKey: [serviceOf(api.findings.count), "counts", repo, digest],
    queryFn: async () => (await readCounts(repo, digest)) ?? null,
    enabled: digest !== "",
  });
}
