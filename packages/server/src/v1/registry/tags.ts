import { create } from "@bufbuild/protobuf";
import { type Tag, TagSchema, TagsService } from "@wharf/contract";
import { registryV1 } from "@wharf/contract/v1";
import type { TagWrites } from "../../registry/tags/tag-writes.ts";
import type { Handler } from "../../rpc/call.ts";
import { filterOf } from "../../rpc/v1/filter.ts";
import { type AdaptedMethod, adapt, type Invoke, replyWith, respondWith } from "../adapter.ts";
import { adaptList } from "../list.ts";

const { Registry, TagSchema: TagV1Schema, EolTagStatus } = registryV1;

const NAMES = { parent: "repoId", updateTime: "lastUpdated" };

/** The version 1 methods of tags. Lists include every kind of tag unless the filter excludes it. */
export function tagMethods(invoke: Invoke, tagWrites: TagWrites): AdaptedMethod[] {
  return [
    createTag(invoke, tagWrites),
    respondWith(Registry.method.updateTag, NAMES, async (tag, call) => {
      return tagV1(await tagWrites.replace(call, create(TagSchema, tagV2(tag))));
    }),
    adapt(invoke, {
      method: Registry.method.deleteTag,
      target: TagsService.method.deleteTag,
      request: ({ id }) => ({ uid: id }),
    }),
    adaptList(invoke, {
      method: Registry.method.listTags,
      target: TagsService.method.listTags,
      request({ id, uidp, name, digest, updatedSince, ...excluded }) {
        const filter = filterOf(id, uidp);
        if (filter === undefined) return undefined;
        const since = updatedSince && { updatedSince };
        return { uidp: filter, name, digest, ...since, ...included(excluded) };
      },
      items: ({ tags }) => tags,
      item: tagV1,
    }),
    adapt(invoke, {
      method: Registry.method.listEolTags,
      target: TagsService.method.listTags,
      request({ uidp, name, pageToken, pageSize, ...excluded }) {
        const page = { pageToken, pageSize: Number(pageSize) };
        const kinds = included({ ...excluded, excludeReferrers: true });
        return { ...(uidp && { uidp }), name, ...page, ...kinds };
      },
      response: ({ tags, nextPageToken }) => ({ items: tags.map(eolTag), nextPageToken }),
    }),
  ];
}

/** Clients that only manage the metadata of a tag send no digest: the tag then has its current image. */
function createTag(invoke: Invoke, tagWrites: TagWrites): AdaptedMethod {
  const method = Registry.method.createTag;
  const [, withDigest] = adapt(invoke, {
    method,
    target: TagsService.method.createTag,
    request: ({ repoId, tag }) => ({ parent: repoId, ...(tag && { tag: tagV2(tag) }) }),
    response: tagV1,
    names: NAMES,
  });
  const [, withoutDigest] = replyWith(method, NAMES, ({ repoId, tag }, call, replyOf) => {
    const requested = create(TagSchema, tag && tagV2(tag));
    return tagWrites.createForCurrentImage(call, repoId, requested, (made) => replyOf(tagV1(made)));
  });
  const handler: Handler = (call, message) => {
    const { tag } = message as registryV1.CreateTagRequest;
    return tag?.digest === "" ? withoutDigest(call, message) : withDigest(call, message);
  };
  return [method, handler];
}

interface Excluded {
  readonly excludeReferrers: boolean;
  readonly excludeDates: boolean;
  readonly excludeEpochs: boolean;
}

/** Translates the excluded kinds of tags of version 1 to the included kinds of version 2. */
export function included({ excludeReferrers, excludeDates, excludeEpochs }: Excluded) {
  return {
    includeReferrers: !excludeReferrers,
    includeDates: !excludeDates,
    includeEpochs: !excludeEpochs,
  };
}

/** The only end of life of a tag is deprecation; grace periods of single tags are not recorded. */
function eolTag({ uid, name, deprecated }: Tag) {
  const tagStatus = deprecated ? EolTagStatus.TAG_INACTIVE : EolTagStatus.TAG_ACTIVE;
  return { id: uid, name, tagStatus };
}

function tagV2({ id, name, digest, deprecated, bundles }: registryV1.Tag) {
  return { uid: id, name, digest, deprecated, bundles };
}

/** Translates a tag to version 1. */
export function tagV1({ uid, name, digest, deprecated, bundles, updateTime }: Tag): registryV1.Tag {
  const lastUpdated = updateTime && { lastUpdated: updateTime };
  return create(TagV1Schema, { id: uid, name, digest, deprecated, bundles, ...lastUpdated });
}
