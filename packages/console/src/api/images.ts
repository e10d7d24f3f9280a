import { type UseQueryResult, useQuery } from "@tanstack/react-query";
import type { ImageJson, ManifestSignaturesJson } from "@wharf/contract/messages";
import { batched } from "./batches.ts";
import { api, client, serviceOf } from "./client.ts";

const readImage = batched<ImageJson>(async (repoUid, digests) => {
  const request = { repoUid, digests, pageSize: digests.length };
  const { images = [] } = await client.call(api.images.list, request);
  return new Map(images.map((image) => [image.digest ?? "", image]));
});

const readSignatures = batched<ManifestSignaturesJson>(async (repoUid, digests) => {
  const { states = [] } = await client.call(api.signatures.listStates, { repoUid, digests });
  return new Map(states.map((state) => [state.digest ?? "", state]));
});

/** The image with a digest. All rows of a page are one request. */
export function useImage(repo: string, digest: string): UseQueryResult<ImageJson | null, Error> {
  return useQuery({
    queryKey: [serviceOf(api.images.list), "one", repo, digest],
    queryFn: async () => (await readImage(repo, digest)) ?? null,
    enabled: digest !== "",
    staleTime: 60_000,
  });
}

/** The images with digests; those that are not known are missing. */
export function useImages(repo: string, digests: readonly string[]): UseQueryResult<ImageJson[]> {
  return useQuery({
    queryKey: [serviceOf(api.images.list), "some", repo, digests],
    queryFn: async () => {
      const found = await Promise.all(digests.map((one) => readImage(repo, one)));
      return found.filter((one) => one !== undefined);
    },
    enabled: digests.length > 0,
    staleTime: 60_000,
  });
}

/** Whether an image is signed; null if it is not. */
export function useSignatureState(
  repo: string,
  digest: string,
): UseQueryResult<ManifestSignaturesJson | null, Error> {
  return useQuery({
    queryKey: [serviceOf(api.signatures.listStates), "signed", repo, digest],
    queryFn: async () => (await readSignatures(repo, digest)) ?? null,
    enabled: digest !== "",
    staleTime: 60_000,
  });
}
