import { create } from "@bufbuild/protobuf";
import { type ListImagePackagesRequest, ListImagePackagesResponseSchema } from "@wharf/contract";
import { pageSizeOf, readCursor } from "../../engine/list/list.ts";
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
import { queryText } from "../findings/list-findings.ts";
import { toImagePackage } from "../findings/messages.ts";
import { onlyRepo } from "../findings/scope.ts";

/** The handler of ListImagePackages. */
export function listImagePackages({ store, lists }: ListDeps): Handler {
  return onlyReads(async (call, message) => {
    const request = message as ListImagePackagesRequest;
    const { repoUid, digest, query: text } = request;
    const limit = pageSizeOf(request.pageSize);
    const query = queryText("ListImagePackages", request);
    const cursor = readCursor(lists, query, request.pageToken, call.time)?.position;
    const after = cursor && (JSON.parse(String(cursor.key)) as PackagePosition);
    const reader = store.readerFor(call);
    const images = await visibleImagesOf(reader, onlyRepo(repoUid), repoUid, digest);
    const image = images.find((one) => one.digest === digest);
    if (image === undefined) throw notFound("Image", `${repoUid}@${digest}`);
    const found = await packagesOfImage(reader, image.id, { text, after, limit: limit + 1 });
    const last = found.length > limit ? found[limit - 1] : undefined;
    const key = last && JSON.stringify([last.name, last.id]);
    const response = create(ListImagePackagesResponseSchema, {
      packages: found.slice(0, limit).map(toImagePackage),
      nextPageToken: key
        ? lists.pageTokens.seal(query, { position: { key, id: 0 }, skipped: 0 }, call.time)
        : "",
      totalCount: BigInt(await countPackages(reader, image.id, text)),
    });
    return messageReply(ListImagePackagesResponseSchema, response);
  });
}
