import { create } from "@bufbuild/protobuf";
import { type Tag, TagSchema, TagsService } from "@wharf/contract";
import { registryV1 } from "@wharf/contract/v1";
import type { TagWrites } from "../registry/tags/tag-writes.ts";
import { type Adapted, adapt, answerWith, type Invoke } from "./adapter.ts";
import { adaptList, filterOf } from "./list.ts";

const { Registry, TagSchema: TagV1Schema, EolTagStatus } = registryV1;

const NAMES = { parent: "repoId", updateTime: "lastUpdated" };

/**
 * Tags as version 1 has them: lists show every kind of them unless told otherwise.
 *
 * @example handlers.push(...tagMethods(invoke, tagWrites));
 */
export function tagMethods(invoke: Invoke, tagWrites: TagWrites): Adapted[] {
  return [
    adapt(invoke, {
      method: Registry.method.createTag,
      onto: TagsService.method.createTag,
      request: ({ repoId, tag }) => ({ parent: repoId, ...(tag && { tag: tagV2(tag) }) }),
      answer: tagV1,
      names: NAMES,
    }),
    answerWith(Registry.method.updateTag, NAMES, async (tag, call) => {
      return tagV1(await tagWrites.replace(call, create(TagSchema, tagV2(tag))));
    }),
    adapt(invoke, {
      method: Registry.method.deleteTag,
      onto: TagsService.method.deleteTag,
      request: ({ id }) => ({ uid: id }),
    }),
    adaptList(invoke, {
      method: Registry.method.listTags,
      onto: TagsService.method.listTags,
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
      onto: TagsService.method.listTags,
      request({ uidp, name, pageToken, pageSize, ...excluded }) {
        const page = { pageToken, pageSize: Number(pageSize) };
        const kinds = included({ ...excluded, excludeReferrers: true });
        return { ...(uidp && { uidp }), name, ...page, ...kinds };
      },
      answer: ({ tags, nextPageToken }) => ({ items: tags.map(eolTag), nextPageToken }),
    }),
  ];
}

interface Excluded {
  readonly excludeReferrers: boolean;
  readonly excludeDates: boolean;
  readonly excludeEpochs: boolean;
}

/** Which kinds of tags version 2 is asked for, from those that version 1 is asked to leave out. */
export function included({ excludeReferrers, excludeDates, excludeEpochs }: Excluded) {
  return {
    includeReferrers: !excludeReferrers,
    includeDates: !excludeDates,
    includeEpochs: !excludeEpochs,
  };
}

/** All that is known of a tag's end is whether it is deprecated; of a grace, nothing is. */
function eolTag({ uid, name, deprecated }: Tag) {
  const tagStatus = deprecated ? EolTagStatus.TAG_INACTIVE : EolTagStatus.TAG_ACTIVE;
  return { id: uid, name, tagStatus };
}

function tagV2({ id, name, digest, deprecated, bundles }: registryV1.Tag) {
  return { uid: id, name, digest, deprecated, bundles };
}

/**
 * A tag as version 1 shows it.
 *
 * @example tagV1(tag).lastUpdated
 */
export function tagV1({ uid, name, digest, deprecated, bundles, updateTime }: Tag): registryV1.Tag {
  const lastUpdated = updateTime && { lastUpdated: updateTime };
  return create(TagV1Schema, { id: uid, name, digest, deprecated, bundles, ...lastUpdated });
}
