import { create } from "@bufbuild/protobuf";
import {
  type CountFindingsRequest,
  CountFindingsResponseSchema,
  type FindingCounts,
  FindingCountsSchema,
  InventoryState,
  SeverityCountSchema,
} from "@wharf/contract";
import type { ListDeps } from "../../engine/list/lists.ts";
import { mustExist } from "../../registry/images/list-images.ts";
import { type Handler, onlyReads } from "../../rpc/call.ts";
import { messageReply } from "../../rpc/reply.ts";
import {
  countsOfImages,
  type FindingCount,
} from "../../store/tables/exposure/findings/finding-counts.ts";
import {
  type ImageOfDigest,
  imagesOfDigests,
} from "../../store/tables/exposure/findings/tag-exposure.ts";

/** The handler of CountFindings. */
export function countFindings(deps: ListDeps): Handler {
  return onlyReads(async (call, message) => {
    const { repoUid, digests } = message as CountFindingsRequest;
    await mustExist(deps, repoUid);
    const reader = deps.store.readerFor(call);
    const images = await imagesOfDigests(reader, repoUid, digests);
    const ids = [...new Set(images.map(({ image }) => image))];
    const counts = (await countsOfImages(reader, ids)).filter(({ open }) => open > 0);
    const byImage = Map.groupBy(counts, ({ image }) => image);
    const response = create(CountFindingsResponseSchema, {
      images: [...Map.groupBy(images, ({ digest }) => digest)].map(([digest, some]) =>
        toCounts(digest, some, byImage),
      ),
    });
    return messageReply(CountFindingsResponseSchema, response);
  });
}

/** States of the images of an index, from the one that says the least. One that no registry has was never stored. */
const STATES = [
  InventoryState.UNSPECIFIED,
  InventoryState.WAITING,
  InventoryState.REFUSED,
  InventoryState.NONE,
  InventoryState.KNOWN,
] as const;

function toCounts(
  digest: string,
  images: readonly ImageOfDigest[],
  byImage: ReadonlyMap<number, readonly FindingCount[]>,
): FindingCounts {
  const counts = images.map(({ image }) =>
    (byImage.get(image) ?? []).toSorted((a, b) => b.severity - a.severity),
  );
  const [worst = []] = counts.sort(compareCounts);
  const state = STATES.find((one) => images.some((image) => image.state === one));
  return create(FindingCountsSchema, {
    digest,
    state: state || InventoryState.REFUSED,
    severities: worst.map(({ severity, open, fixable }) =>
      create(SeverityCountSchema, { severity, open: BigInt(open), fixable: BigInt(fixable) }),
    ),
  });
}

/** Orders counts by severity, the worst first: by the most severe ones, then by their number, then by the next. */
function compareCounts(a: readonly FindingCount[], b: readonly FindingCount[]): number {
  for (const [at, one] of a.entries()) {
    const other = b[at];
    if (other === undefined) return -1;
    const difference = other.severity - one.severity || other.open - one.open;
    if (difference !== 0) return difference;
  }
  return b.length - a.length;
}
