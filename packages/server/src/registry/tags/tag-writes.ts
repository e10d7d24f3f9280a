import { isDeepStrictEqual } from "node:util";
import { create, type DescMethod, equals } from "@bufbuild/protobuf";
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
import { nextUpdateTime } from "../../engine/update-time.ts";
import { deleteMethod } from "../../engine/write.ts";
import { aborted, invalidArgument, notFound, permissionDenied } from "../../lib/errors.ts";
import type { Call, Handler } from "../../rpc/call.ts";
import { EMPTY_REPLY, messageReply } from "../../rpc/reply.ts";
import { mustBeUid, validate } from "../../rpc/validate.ts";
import { newestEntry } from "../../store/tables/tags.ts";
import { recordTag, removeTag, type TagUpdate, writeTime } from "../ingest/tag-state.ts";
import { digestRequired, type RemoteTags } from "./remote-tags.ts";

/**
 * Tags that callers create, move and delete: first in the attached registries, then in the store. If the
 * second step fails, a notification or the next reconcile pass makes up for it.
 */
export class TagWrites {
  readonly #engine: Engine;
  readonly #remoteTags: RemoteTags;

  constructor(engine: Engine, remoteTags: RemoteTags) {
    this.#engine = engine;
    this.#remoteTags = remoteTags;
  }

  handlers(): [DescMethod, Handler][] {
    const { method } = TagsService;
    return [
      [method.createTag, (call, message) => this.#create(call, message as CreateTagRequest)],
      [method.deleteTag, this.#delete()],
    ];
  }

  /**
   * Replaces an existing tag. Its name cannot change: it identifies the tag in the registry. Without a
   * digest, the tag keeps its image and no registry is asked.
   */
  async replace(call: Call, given: Tag): Promise<Tag> {
    const { uid, name, digest, deprecated, bundles } = given;
    mustBeUid("uid", uid);
    validateTag({ name, digest, bundles });
    const {
      store,
      catalog: { tags },
    } = this.#engine;
    const before = await tags.find(store.reader, uid);
    if (before === undefined) throw notFound(tags.typeName, uid);
    if (before.name !== name) {
      throw invalidArgument({ field: "name", description: "name cannot be changed" });
    }
    const eventMethod = call.method;
    if (digest === "") return this.#describe(call, uid, { deprecated, bundles, eventMethod });
    const update = { name, digest, deprecated, bundles, eventMethod };
    return this.#put(call, parentOf(uid), update, uid);
  }

  /**
   * Creates or replaces a tag without a digest: with the image that it has in the repo's registries, or in
   * the store if there is none.
   */
  async createForCurrentImage(call: Call, repo: string, given: Tag): Promise<Tag> {
    const { name, deprecated, bundles } = given;
    mustBeUid("repoId", repo);
    validateTag({ name, digest: "", bundles });
    const {
      store,
      catalog: { repos, tags },
    } = this.#engine;
    if ((await repos.find(store.reader, repo)) === undefined) throw notFound(repos.typeName, repo);
    const remote = await this.#remoteTags.current(call, repo, name);
    const [uid = ""] = await tags.table.childrenNamed(store.reader, repo, name, 1);
    const stored = await tags.find(store.reader, uid);
    if (remote !== undefined) {
      const update = { name, digest: remote.digest, deprecated, bundles };
      checkReplace(call, stored, update);
      return this.#record(call, repo, update, remote.time);
    }
    if (stored === undefined) throw digestRequired(`the repo has no tag ${name}`);
    checkReplace(call, stored, { name, digest: stored.digest, deprecated, bundles });
    return this.#describe(call, stored.uid, { deprecated, bundles });
  }

  /** Replaces what is stored beside the digest. The history, which is about digests, does not change. */
  async #describe(
    call: Call,
    uid: string,
    given: Pick<Tag, "deprecated" | "bundles"> & Pick<TagUpdate, "eventMethod">,
  ): Promise<Tag> {
    const {
      store,
      catalog: { repos, tags },
    } = this.#engine;
    return store.writeFor(call, async (tx) => {
      // Lock order: the repo before its tags.
      await repos.table.findForChange(tx, parentOf(uid));
      const row = await tags.table.findForChange(tx, uid);
      if (row === undefined) throw notFound(tags.typeName, uid);
      const before = tags.fromRow(row);
      const { deprecated, bundles, eventMethod } = given;
      const after = create(TagSchema, { ...before, deprecated, bundles });
      if (equals(TagSchema, before, after)) return before;
      const mutation = new Mutation(call, tx, this.#engine);
      after.updateTime = nextUpdateTime(before, await writeTime(mutation));
      await mutation.update(tags, after, eventMethod ?? tags.method("Create"));
      return after;
    });
  }

  /** Creates a tag, or replaces an existing one, which also takes `tag.update`. */
  async #create(call: Call, { parent, tag }: CreateTagRequest) {
    if (tag === undefined) {
      throw invalidArgument({ field: "tag", description: "tag is required" });
    }
    validate(TagSchema, tag);
    const { name, digest, deprecated, bundles } = tag;
    const created = await this.#put(call, parent, { name, digest, deprecated, bundles });
    return messageReply(TagSchema, created);
  }

  async #put(call: Call, repo: string, update: TagUpdate, uid?: string): Promise<Tag> {
    const {
      store,
      catalog: { tags },
    } = this.#engine;
    // Checked before a registry is changed. The notification of this very change may create the tag
    // meanwhile, so the check is repeated below only if no registry was involved.
    const [stored] = await tags.table.childrenNamed(store.reader, repo, update.name, 1);
    if (stored !== undefined) checkReplace(call, await tags.find(store.reader, stored), update);
    const time = await this.#remoteTags.put(call, repo, update);
    return this.#record(call, repo, update, time, uid);
  }

  /** Stores a tag: as it is in the registries since a time, or undefined if no registry has it. */
  async #record(
    call: Call,
    repo: string,
    update: TagUpdate,
    time: number | undefined,
    uid?: string,
  ): Promise<Tag> {
    const {
      store,
      catalog: { repos, tags },
    } = this.#engine;
    // Once the registries have the tag, it is stored even if the caller is gone.
    return store.writeFor(time === undefined ? call : {}, async (tx) => {
      // Lock order: the repo before its tags.
      await repos.table.findForChange(tx, repo);
      if (uid !== undefined && (await tags.table.findForChange(tx, uid)) === undefined) {
        throw notFound(tags.typeName, uid);
      }
      const row = await tags.table.namedForChange(tx, repo, update.name);
      if (time === undefined && row !== undefined) checkReplace(call, tags.fromRow(row), update);
      // If the notification was ingested already, its time stays.
      const isIngested = (await newestEntry(tx, repo, update.name))?.digest === update.digest;
      const since = time === undefined || isIngested ? {} : { time };
      const mutation = new Mutation(call, tx, this.#engine);
      const { tag, outcome } = await recordTag(mutation, repo, { ...update, ...since });
      if (outcome === "older") throw aborted(`the tag ${update.name} was changed concurrently`);
      return tag as Tag;
    });
  }

  #delete(): Handler {
    const {
      store,
      catalog: { tags, repos },
    } = this.#engine;
    const deleteStored = deleteMethod(tags, this.#engine);
    return async (call, message) => {
      const { uid } = message as DeleteTagRequest;
      const tag = await tags.find(store.reader, uid);
      if (tag === undefined) throw notFound(tags.typeName, uid);
      const repo = parentOf(uid);
      const time = await this.#remoteTags.delete(call, repo, tag.name);
      if (time === undefined) return deleteStored(call, message);
      await store.write(async (tx) => {
        await repos.table.findForChange(tx, repo);
        // The notification may have been ingested already, and the tag pushed again.
        if ((await tags.table.findForChange(tx, uid)) === undefined) return;
        await removeTag(new Mutation(call, tx, this.#engine), repo, tag.name, time);
      });
      return EMPTY_REPLY;
    };
  }
}

/** Validates the fields of a tag whose digest may be left out. */
function validateTag(given: { name: string; digest: string; bundles: string[] }): void {
  const digest = given.digest || PLACEHOLDER_DIGEST;
  validate(TagSchema, create(TagSchema, { ...given, digest }));
}

const PLACEHOLDER_DIGEST = `sha256:${"0".repeat(64)}`;

function contentOf({ digest, deprecated = false, bundles = [] }: TagUpdate) {
  return { digest, deprecated, bundles };
}

const UPDATE = Capability.CAP_TAG_UPDATE;

/** `tag.create` creates tags and confirms existing ones; any change of one takes `tag.update`. */
function checkReplace({ caller }: Call, before: Tag | undefined, update: TagUpdate): void {
  if (before === undefined || caller.grants.holds([UPDATE], before.uid)) return;
  if (!isDeepStrictEqual(contentOf(update), contentOf(before))) {
    throw permissionDenied([capabilityName(UPDATE)], parentOf(before.uid));
  }
}
