import { create, type DescMethod } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import {
  DeletedTagsService,
  type ListDeletedTagsRequest,
  ListDeletedTagsResponseSchema,
  type RestoreTagRequest,
  type Tag,
  TagSchema,
} from "@wharf/contract";
import { pageSizeOf, readCursor } from "../../engine/list/list.ts";
import type { ListDeps } from "../../engine/list/lists.ts";
import type { CreateDeps } from "../../engine/write/creates.ts";
import { Mutation } from "../../engine/write/mutation.ts";
import { alreadyExists, failedPrecondition, notFound } from "../../lib/errors.ts";
import type { Handler } from "../../rpc/call.ts";
import { messageReply } from "../../rpc/reply.ts";
import type { Transaction } from "../../store/db/commit/transaction.ts";
import { readManifestContent } from "../../store/tables/registry/manifests.ts";
import {
  deletedTags,
  digestToRestore,
  forgetDeletedTag,
} from "../../store/tables/registry/retention.ts";
import { lockRepo, recordTag } from "../ingest/tag-state.ts";

/** The handlers of DeletedTagsService. */
export function deletedTagHandlers(deps: ListDeps & CreateDeps): [DescMethod, Handler][] {
  const { method } = DeletedTagsService;
  return [
    [method.listDeletedTags, listDeletedTags(deps)],
    [method.restoreTag, restoreTag(deps)],
  ];
}

function listDeletedTags({ catalog, store, lists }: ListDeps): Handler {
  return async (call, message) => {
    const { repoUid, pageSize, pageToken } = message as ListDeletedTagsRequest;
    const { reader } = store;
    if ((await catalog.repos.find(reader, repoUid)) === undefined)
      throw notFound(catalog.repos.typeName, repoUid);
    const limit = pageSizeOf(pageSize);
    const query = JSON.stringify(["ListDeletedTags", repoUid]);
    const after = String(readCursor(lists, query, pageToken, call.time)?.position.key ?? "");
    const found = await deletedTags(reader, repoUid, call.time, after, limit + 1);
    const page = found.slice(0, limit);
    const last = found.length > limit ? page.at(-1) : undefined;
    const next = last && { position: { key: last.name, id: 0 }, skipped: 0 };
    const response = create(ListDeletedTagsResponseSchema, {
      tags: page.map(({ deleted, expires, ...row }) => ({
        ...row,
        deleteTime: timestampFromMs(deleted),
        expireTime: timestampFromMs(expires),
      })),
      nextPageToken: next ? lists.pageTokens.seal(query, next, call.time) : "",
    });
    return messageReply(ListDeletedTagsResponseSchema, response);
  };
}

function restoreTag(deps: CreateDeps): Handler {
  const { catalog, creates } = deps;
  return async (call, message) => {
    const { repoUid, name } = message as RestoreTagRequest;
    const restore = async (tx: Transaction) => {
      const mutation = new Mutation(call, tx, deps);
      await lockRepo(mutation, repoUid);
      const digest = await digestToRestore(tx, repoUid, name, call.time);
      if (digest === undefined) throw notFound("DeletedTag", name);
      const [taken] = await catalog.tags.table.childrenNamed(tx, repoUid, name, 1);
      if (taken !== undefined) throw alreadyExists(catalog.tags.typeName, name);
      if ((await readManifestContent(tx, repoUid, digest)) === undefined) {
        const description = `the image ${digest} of the tag ${JSON.stringify(name)} was deleted`;
        throw failedPrecondition({ type: "IMAGE_NOT_FOUND", description });
      }
      const { tag } = await recordTag(mutation, repoUid, { name, digest });
      await forgetDeletedTag(tx, repoUid, name);
      return tag as Tag;
    };
    return creates.write(call, restore, (tag) => messageReply(TagSchema, tag));
  };
}
