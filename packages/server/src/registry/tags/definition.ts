import { create, type Message } from "@bufbuild/protobuf";
import { timestampFromMs, timestampMs } from "@bufbuild/protobuf/wkt";
import {
  type ListTagHistoryRequest,
  ListTagHistoryResponseSchema,
  parentOf,
  type Tag,
  TagSchema,
  TagsService,
} from "@wharf/contract";
import { pageSizeOf, readCursor } from "../../engine/list/list.ts";
import type { ListDeps } from "../../engine/list/lists.ts";
import { parseOrder } from "../../engine/list/order.ts";
import { Resource } from "../../engine/resource.ts";
import { notFound } from "../../lib/errors.ts";
import type { Handler } from "../../rpc/call.ts";
import { messageReply } from "../../rpc/reply.ts";
import { expirationOf } from "../../store/tables/registry/retention.ts";
import { readHistory } from "../../store/tables/registry/tags.ts";
import { tagPartitions } from "./tag-partitions.ts";

/** The tags of a repo. Callers write them through tag-writes.ts. */
export const tags: Resource<Tag> = new Resource({
  service: TagsService,
  schema: TagSchema,
  table: "tags",
  tree: { uniqueNames: true },
  quota: "tags",
  index: {
    partitions: tagPartitions,
    childOrders: ["created", "updated"],
    filters: [
      { field: "name", column: "name", type: "common" },
      { field: "digest", column: "digest", type: "text", of: (tag) => tag.digest },
      { field: "updatedSince", column: "updated", type: "common", isBound: true },
    ],
  },
  hooks: {
    async hydrateDetail(reader, tag) {
      const expires = await expirationOf(reader, parentOf(tag.uid), tag.name, tag.digest);
      if (expires !== undefined) tag.deleteTime = timestampFromMs(expires);
    },
  },
  methods: (deps) => [[TagsService.method.listTagHistory, listHistory(deps)]],
  boundByArea: [TagsService.method.createTag, TagsService.method.deleteTag],
});

const NEWEST_FIRST = { column: "updated", descending: true } as const;

/** The digests that a tag has had, newest first by default. */
function listHistory(deps: Pick<ListDeps, "lists" | "store">): Handler {
  return async (call, message) => {
    const request = message as ListTagHistoryRequest & Message;
    const { uid, pageSize, pageToken } = request;
    const limit = pageSizeOf(pageSize);
    const [start, end] = [request.start, request.end].map((time) => time && timestampMs(time));
    const { order } = parseOrder(request.orderBy, NEWEST_FIRST, { columns: ["updated_at"] });
    const ascending = !order.descending;
    const { reader } = deps.store;
    const tag = await tags.find(reader, uid);
    if (tag === undefined) throw notFound(tags.typeName, uid);
    const query = JSON.stringify(["ListTagHistory", uid, start, end, ascending]);
    const cursor = readCursor(deps.lists, query, pageToken, call.time)?.position;
    const after = cursor && { time: Number(cursor.key), id: cursor.id };
    const historyQuery = { after, start, end, ascending, limit: limit + 1 };
    const found = await readHistory(reader, parentOf(uid), tag.name, historyQuery);
    const page = found.slice(0, limit);
    const last = found.length > limit ? page.at(-1) : undefined;
    const next = last && { position: { key: last.time, id: last.id }, skipped: 0 };
    const response = create(ListTagHistoryResponseSchema, {
      entries: page.map(({ digest, time }) => ({ digest, updateTime: timestampFromMs(time) })),
      nextPageToken: next ? deps.lists.pageTokens.seal(query, next, call.time) : "",
    });
    return messageReply(ListTagHistoryResponseSchema, response);
  };
}
