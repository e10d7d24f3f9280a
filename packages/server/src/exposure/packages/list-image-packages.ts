import { create } from "@bufbuild/protobuf";
import { type ListImagePackagesRequest, ListImagePackagesResponseSchema } from "@wharf/contract";
import type { ListDeps } from "../../engine/list/lists.ts";
import { notFound } from "../../lib/errors.ts";
import { type Handler, onlyReads } from "../../rpc/call.ts";
import { messageReply } from "../../rpc/reply.ts";
import {
  countPackages,
  type PackagePosition,
  packagesOfImage,
  visibleImagesOf,
} from "../../store/tables/exposure/packages/image-packages-list.ts";
import { toImagePackage } from "../findings/messages.ts";
import { requestedPage } from "../findings/page.ts";
import { onlyRepo } from "../findings/scope.ts";

/** The handler of ListImagePackages. */
export function listImagePackages({ store, lists }: ListDeps): Handler {
  return onlyReads(async (call, message) => {
    const request = message as ListImagePackagesRequest;
    const { repoUid, digest, query: text } = request;
    const { after, limit, cut } = requestedPage<PackagePosition>(lists, call, request);
    const reader = store.readerFor(call);
    const images = await visibleImagesOf(reader, onlyRepo(repoUid), repoUid, digest);
    const image = images.find((one) => one.digest === digest);
    if (image === undefined) throw notFound("Image", `${repoUid}@${digest}`);
    const found = await packagesOfImage(reader, image.id, { text, after, limit });
    const { rows, nextPageToken } = cut(found, (last) => [last.name, last.id]);
    const response = create(ListImagePackagesResponseSchema, {
      packages: rows.map(toImagePackage),
      nextPageToken,
      totalCount: BigInt(await countPackages(reader, image.id, text)),
      state: image.state,
    });
    return messageReply(ListImagePackagesResponseSchema, response);
  });
}
