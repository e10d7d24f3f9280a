import { create } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import {
  InventoryState,
  type ListTaggedImagesRequest,
  ListTaggedImagesResponseSchema,
  type TaggedImage,
  TaggedImageSchema,
} from "@wharf/contract";
import type { ListDeps } from "../../engine/list/lists.ts";
import { type Handler, onlyReads } from "../../rpc/call.ts";
import { messageReply } from "../../rpc/reply.ts";
import type { Reader } from "../../store/db/connection.ts";
import { namesOfImages } from "../../store/tables/exposure/images/image-names.ts";
import {
  countTaggedImages,
  type TaggedPosition,
  type TaggedRow,
  taggedImages,
} from "../../store/tables/exposure/images/tagged-images.ts";
import { requestedPage } from "../findings/page.ts";
import { mustBeKnown } from "../findings/read-filter.ts";
import { reposOf } from "../findings/scope.ts";
import { toInventory } from "./image-inventory.ts";

/** The handler of ListTaggedImages. */
export function listTaggedImages({ store, catalog, lists }: ListDeps): Handler {
  return onlyReads(async (call, message) => {
    const request = message as ListTaggedImagesRequest;
    const { states, inUse } = request;
    mustBeKnown("states", states, InventoryState);
    const { after, limit, cut } = requestedPage<TaggedPosition>(lists, call, request);
    const reader = store.readerFor(call).costly ?? store.readerFor(call);
    const intervals = reposOf(catalog, call, request.uidp);
    const filter = { intervals, states, inUse, now: call.time };
    const found = await taggedImages(reader, filter, after, limit);
    const { rows, nextPageToken } = cut(found, (last) => [last.repo, last.digest]);
    const response = create(ListTaggedImagesResponseSchema, {
      images: await toImages(reader, rows),
      nextPageToken,
      totalCount: BigInt(await countTaggedImages(reader, filter)),
    });
    return messageReply(ListTaggedImagesResponseSchema, response);
  });
}

async function toImages(reader: Reader, rows: readonly TaggedRow[]): Promise<TaggedImage[]> {
  const namesOf = await namesOfImages(reader, rows);
  return rows.map((row) =>
    create(TaggedImageSchema, {
      ...{ repoUid: row.repo, ...namesOf(row) },
      inUse: row.inUse === 1,
      pushTime: timestampFromMs(row.pushed),
      inventory: toInventory(row),
    }),
  );
}
