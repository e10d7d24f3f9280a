import { isDeepStrictEqual } from "node:util";
import { create, type DescMethod } from "@bufbuild/protobuf";
import {
  Capability,
  type CreateTagRequest,
  capabilityName,
  type DeleteTagRequest,
  parentOf,
  type Tag,
  TagSchema,
  TagsService,
} from "@wharf/contract";
import type { Engine } from "../../engine/engine.ts";
import { Mutation } from "../../engine/mutation.ts";
import { deleteMethod } from "../../engine/write.ts";
import { aborted, invalidArgument, notFound, permissionDenied } from "../../lib/errors.ts";
import type { Call, Handler } from "../../rpc/call.ts";
import { EMPTY_REPLY, messageReply } from "../../rpc/reply.ts";
import { mustBeUid, validate } from "../../rpc/validate.ts";
import { newestEntry } from "../../store/tables/tag-history.ts";
import { recordTag, removeTag, type TagNews } from "../ingest/tag-state.ts";
import type { PlacedTags } from "./remote-tags.ts";

/**
 * Tags that callers make, move and delete: in the registries that have the repo, and then in what we
 * know. If the second does not come about, the registry tells us of the first, or the next look does.
 */
export class TagWrites {
  readonly #engine: Engine;
  readonly #placed: PlacedTags;

  constructor(engine: Engine, placed: PlacedTags) {
    this.#engine = engine;
    this.#placed = placed;
  }

  /** @example const handlers = new Map(tagWrites.handlers()); */
  handlers(): [DescMethod, Handler][] {
    const { method } = TagsService;
    return [
      [method.createTag, (call, message) => this.#create(call, message as CreateTagRequest)],
      [method.deleteTag, this.#delete()],
    ];
  }

  /**
   * Replaces a tag that is there. Its name stays: it is what the tag is known by.
   *
   * @example const tag = await tagWrites.replace(call, given);
   */
  async replace(call: Call, given: Tag): Promise<Tag> {
    const { uid, name, digest, deprecated, bundles } = given;
    mustBeUid("uid", uid);
    validate(TagSchema, create(TagSchema, { name, digest, bundles }));
    const {
      store,
      catalog: { tags },
    } = this.#engine;
    const before = await tags.find(store.reader, uid);
    if (before === undefined) throw notFound(tags.typeName, uid);
    if (before.name !== name) {
      throw invalidArgument({ field: "name", description: "name cannot be changed" });
    }
    const news = { name, digest, deprecated, bundles, toldBy: call.method };
    return this.#put(call, parentOf(uid), news, uid);
  }

  /** Makes a tag, or replaces the one that is there, which takes `tag.update` too. */
  async #create(call: Call, { parent, tag }: CreateTagRequest) {
    if (tag === undefined) {
      throw invalidArgument({ field: "tag", description: "tag is required" });
    }
    validate(TagSchema, tag);
    const { name, digest, deprecated, bundles } = tag;
    const made = await this.#put(call, parent, { name, digest, deprecated, bundles });
    return messageReply(TagSchema, made);
  }

  async #put(call: Call, repo: string, news: TagNews, uid?: string): Promise<Tag> {
    const {
      store,
      catalog: { repos, tags },
    } = this.#engine;
    // Before a registry is changed. Its notification of this very change may create the tag meanwhile,
    // so the check is repeated below only where no registry was involved.
    const [known] = await tags.table.childrenNamed(store.reader, repo, news.name, 1);
    if (known !== undefined) mayReplace(call, await tags.find(store.reader, known), news);
    const time = await this.#placed.put(call, repo, news);
    return store.write(async (tx) => {
      // The repo first, as all do who change its tags.
      await repos.table.findForChange(tx, repo);
      if (uid !== undefined && (await tags.table.findForChange(tx, uid)) === undefined) {
        throw notFound(tags.typeName, uid);
      }
      const row = await tags.table.namedForChange(tx, repo, news.name);
      if (time === undefined && row !== undefined) mayReplace(call, tags.fromRow(row), news);
      // We may have heard of it already: then it is so, whenever it began to be.
      const isKnown = (await newestEntry(tx, repo, news.name))?.digest === news.digest;
      const asOf = time === undefined || isKnown ? {} : { time };
      const change = new Mutation(call, tx, this.#engine);
      const { tag, outcome } = await recordTag(change, repo, { ...news, ...asOf });
      if (outcome === "older")
        throw aborted(`somebody else has changed the tag ${news.name} since`);
      return tag as Tag;
    });
  }

  #delete(): Handler {
    const {
      store,
      catalog: { tags, repos },
    } = this.#engine;
    const deleteKnown = deleteMethod(tags, this.#engine);
    return async (call, message) => {
      const { uid } = message as DeleteTagRequest;
      const tag = await tags.find(store.reader, uid);
      if (tag === undefined) throw notFound(tags.typeName, uid);
      const repo = parentOf(uid);
      const time = await this.#placed.delete(call, repo, tag.name);
      if (time === undefined) return deleteKnown(call, message);
      await store.write(async (tx) => {
        await repos.table.findForChange(tx, repo);
        // The registry may have told us already, and the tag have been pushed again.
        if ((await tags.table.findForChange(tx, uid)) === undefined) return;
        await removeTag(new Mutation(call, tx, this.#engine), repo, tag.name, time);
      });
      return EMPTY_REPLY;
    };
  }
}

function contentOf({ digest, deprecated = false, bundles = [] }: TagNews) {
  return { digest, deprecated, bundles };
}

const UPDATE = Capability.CAP_TAG_UPDATE;

/** `tag.create` creates tags and confirms existing ones; changing one in any way takes `tag.update`. */
function mayReplace({ caller }: Call, before: Tag | undefined, news: TagNews): void {
  if (before === undefined || caller.grants.holds([UPDATE], before.uid)) return;
  if (!isDeepStrictEqual(contentOf(news), contentOf(before))) {
    throw permissionDenied([capabilityName(UPDATE)], parentOf(before.uid));
  }
}
