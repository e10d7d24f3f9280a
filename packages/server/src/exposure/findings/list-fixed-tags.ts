import { create } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import {
  FindingStatus,
  InventoryState,
  type ListFixedTagsRequest,
  ListFixedTagsResponseSchema,
  type TagExposure,
  TagExposureSchema,
} from "@wharf/contract";
import type { ListDeps } from "../../engine/list/lists.ts";
import { mustExist } from "../../registry/images/list-images.ts";
import { type Handler, onlyReads } from "../../rpc/call.ts";
import { messageReply } from "../../rpc/reply.ts";
import {
  type ImageOfDigest,
  type ImageStatus,
  imagesOfDigests,
  packagesWith,
  readTags,
  statusesOfImages,
  type TagRow,
  versionsOfPackages,
} from "../../store/tables/exposure/findings/tag-exposure.ts";
import { requestedPage } from "./page.ts";
import { readNames } from "./read-filter.ts";
import { onlyRepo } from "./scope.ts";

/** From the worst to the best. */
const STATUSES: readonly FindingStatus[] = [
  FindingStatus.AFFECTED,
  FindingStatus.UNKNOWN,
  FindingStatus.ACCEPTED,
  FindingStatus.NOT_AFFECTED,
  FindingStatus.FIXED,
];

/** The handler of ListFixedTags. */
export function listFixedTags(deps: ListDeps): Handler {
  const { store, lists } = deps;
  return onlyReads(async (call, message) => {
    const request = message as ListFixedTagsRequest;
    const { repoUid, vulnerability } = request;
    await mustExist(deps, repoUid);
    const { after = "", limit, cut } = requestedPage<string>(lists, call, request);
    const reader = store.readerFor(call);
    const found = await readTags(reader, repoUid, after, limit);
    const { rows: tags, nextPageToken } = cut(found, ({ name }) => name);
    const names = await readNames(reader, [vulnerability]);
    const scope = { intervals: onlyRepo(repoUid), statuses: STATUSES, names, now: call.time };
    const digests = tags.map(({ digest }) => digest);
    const images = await imagesOfDigests(reader, repoUid, digests);
    const ids = images.map(({ image }) => image);
    const statuses = await statusesOfImages(reader.costly ?? reader, scope, ids);
    const packages = await packagesWith(reader, scope);
    const versions = await versionsOfPackages(reader, ids, packages);
    const byImage = Map.groupBy(statuses, ({ image }) => image);
    const byDigest = Map.groupBy(images, ({ digest }) => digest);
    const response = create(ListFixedTagsResponseSchema, {
      tags: tags.map((tag) => toExposure(tag, byDigest.get(tag.digest) ?? [], byImage, versions)),
      nextPageToken,
    });
    return messageReply(ListFixedTagsResponseSchema, response);
  });
}

function toExposure(
  { name, digest, updated }: TagRow,
  images: readonly ImageOfDigest[],
  statuses: ReadonlyMap<number, readonly ImageStatus[]>,
  versions: ReadonlyMap<number, readonly string[]>,
): TagExposure {
  const open = images.flatMap(({ image }) => statuses.get(image) ?? []);
  const worst = STATUSES.find((status) => open.some((one) => one.status === status));
  const affected = open.filter(({ status }) => status === worst);
  const packageVersions =
    worst === undefined
      ? images.flatMap(({ image }) => versions.get(image) ?? [])
      : affected.map(({ version }) => version);
  return create(TagExposureSchema, {
    ...{ tag: name, digest },
    status: worst ?? FindingStatus.UNSPECIFIED,
    known: images.length > 0 && images.every(({ state }) => state === InventoryState.KNOWN),
    versions: [...new Set(packageVersions)],
    updateTime: timestampFromMs(updated),
  });
}
