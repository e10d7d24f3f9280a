import { create, type DescMethod, equals } from "@bufbuild/protobuf";
import {
  type CreateTagRequest,
  type DeleteTagRequest,
  parentOf,
  type Tag,
  TagSchema,
  TagsService,
} from "@wharf/contract";
import { checkQuota } from "../../engine/quotas.ts";
import type { CreateDeps } from "../../engine/write/creates.ts";
import { Mutation } from "../../engine/write/mutation.ts";
import { nextUpdateTime } from "../../engine/write/update-time.ts";
import { aborted, invalidArgument, notFound } from "../../lib/errors.ts";
import type { Call, Handler, Reply } from "../../rpc/call.ts";
import { EMPTY_REPLY, messageReply } from "../../rpc/reply.ts";
import { mustBeUid, validate } from "../../rpc/validate.ts";
import type { Transaction } from "../../store/db/commit/transaction.ts";
import { locationsOf, OWN_HOST } from "../../store/tables/registry/locations.ts";
import { findManifest } from "../../store/tables/registry/manifests.ts";
import { newestEntry } from "../../store/tables/registry/tags.ts";
import { recordTag, removeTag, type TagUpdate, writeTime } from "../ingest/tag-state.ts";
import { checkDeletable } from "../tag-rules/enforcement.ts";
import { digestRequired, imageNotFound, type RemoteTags } from "./remote-tags.ts";
import { checkReplace, validateTag } from "./tag-checks.ts";

/** Stores the response of a create with its idempotency key. */
type RememberTag = (tx: Transaction, tag: Tag) => Promise<void>;

interface RecordOptions {
  /** The tag, which must exist. */
  readonly uid?: string;
  readonly remember?: RememberTag;
}

/**
 * Tags that callers create, move and delete: first in the attached registries, then in the store. If the
 * second step fails, a notification or the next reconcile pass makes up for it.
 */
export class TagWrites {
  readonly #deps: CreateDeps;
  readonly #remoteTags: RemoteTags;

  constructor(deps: CreateDeps, remoteTags: RemoteTags) {
    this.#deps = deps;
    this.#remoteTags = remoteTags;
  }

  handlers(): [DescMethod, Handler][] {
    const { method } = TagsService;
    return [
      [method.createTag, (call, message) => this.#create(call, message as CreateTagRequest)],
      [method.deleteTag, (call, message) => this.#delete(call, message as DeleteTagRequest)],
    ];
  }

  /**
   * Replaces an existing tag. Its name cannot change: it identifies the tag in the registry. Without a digest, the tag
   * keeps its image without a request to a registry.
   */
  async replace(call: Call, input: Tag): Promise<Tag> {
    const { uid, name, digest, deprecated, bundles } = input;
    mustBeUid("uid", uid);
    validateTag({ name, digest, bundles });
    const {
      store,
      catalog: { tags },
    } = this.#deps;
    const before = await tags.find(store.reader, uid);
    if (before === undefined) throw notFound(tags.typeName, uid);
    if (before.name !== name) {
      throw invalidArgument({ field: "name", description: "name cannot be changed" });
    }
    const eventMethod = call.method;
    if (digest === "") return this.#describe(call, uid, { deprecated, bundles, eventMethod });
    const update = { name, digest, deprecated, bundles, eventMethod };
    return this.#put(call, parentOf(uid), update, { uid });
  }

  /**
   * Creates or replaces a tag without a digest: with the image that it has in the repo's registries, or in
   * the store if there is none.
   */
  async createForCurrentImage(
    call: Call,
    repo: string,
    input: Tag,
    replyOf: (created: Tag) => Reply,
  ): Promise<Reply> {
    const { name, bundles } = input;
    mustBeUid("repoId", repo);
    validateTag({ name, digest: "", bundles });
    return this.#once(call, replyOf, (remember) => this.#tagCurrent(call, repo, input, remember));
  }

  async #tagCurrent(
    call: Call,
    repo: string,
    { name, deprecated, bundles }: Tag,
    remember: RememberTag,
  ): Promise<Tag> {
    const {
      store,
      catalog: { repos, tags },
    } = this.#deps;
    if ((await repos.find(store.reader, repo)) === undefined) throw notFound(repos.typeName, repo);
    const remote = await this.#remoteTags.current(call, repo, name);
    const [uid = ""] = await tags.table.childrenNamed(store.reader, repo, name, 1);
    const stored = await tags.find(store.reader, uid);
    if (remote !== undefined) {
      const update = { name, digest: remote.digest, deprecated, bundles };
      checkReplace(call, stored, update);
      return this.#record(call, repo, update, remote.time, { remember });
    }
    if (stored === undefined) throw digestRequired(`the repo has no tag ${name}`);
    checkReplace(call, stored, { name, digest: stored.digest, deprecated, bundles });
    return this.#describe(call, stored.uid, { deprecated, bundles }, remember);
  }

  /** Replaces what is stored beside the digest. The history, which is about digests, does not change. */
  async #describe(
    call: Call,
    uid: string,
    input: Pick<Tag, "deprecated" | "bundles"> & Pick<TagUpdate, "eventMethod">,
    remember?: RememberTag,
  ): Promise<Tag> {
    const {
      store,
      catalog: { repos, tags },
    } = this.#deps;
    return store.writeFor(call, async (tx) => {
      // Lock order: the repo before its tags.
      await repos.table.findForChange(tx, parentOf(uid));
      const row = await tags.table.findForChange(tx, uid);
      if (row === undefined) throw notFound(tags.typeName, uid);
      const before = tags.fromRow(row);
      const { deprecated, bundles, eventMethod } = input;
      const after = create(TagSchema, { ...before, deprecated, bundles });
      const isChanged = !equals(TagSchema, before, after);
      if (isChanged) {
        const mutation = new Mutation(call, tx, this.#deps);
        after.updateTime = nextUpdateTime(before, await writeTime(mutation));
        await mutation.update(tags, after, eventMethod ?? tags.method("Create"));
      }
      await remember?.(tx, after);
      return after;
    });
  }

  /** Creates a tag, or replaces an existing one, which also takes `tag.update`. */
  #create(call: Call, { parent, tag }: CreateTagRequest): Promise<Reply> {
    if (tag === undefined) {
      throw invalidArgument({ field: "tag", description: "tag is required" });
    }
    validate(TagSchema, tag);
    const { name, digest, deprecated, bundles } = tag;
    const update = { name, digest, deprecated, bundles };
    const replyOf = (created: Tag) => messageReply(TagSchema, created);
    return this.#once(call, replyOf, (remember) => this.#put(call, parent, update, { remember }));
  }

  /** A repeated create does not move the tag back if it has moved since. It takes `tag.create`, as the first did. */
  #once(
    call: Call,
    replyOf: (created: Tag) => Reply,
    run: (remember: RememberTag) => Promise<Tag>,
  ): Promise<Reply> {
    return this.#deps.creates.once(
      call,
      async (remember) => replyOf(await run((tx, tag) => remember(tx, replyOf(tag)))),
      async () => {},
    );
  }

  async #put(call: Call, repo: string, update: TagUpdate, options: RecordOptions): Promise<Tag> {
    const { store, catalog } = this.#deps;
    const { tags } = catalog;
    // Checked before a registry is changed. The notification of this very change may create the tag
    // meanwhile, so the check is repeated below only if no registry was involved.
    const [stored] = await tags.table.childrenNamed(store.reader, repo, update.name, 1);
    if (stored !== undefined) checkReplace(call, await tags.find(store.reader, stored), update);
    else if (!call.idempotency?.isRehearsal) await checkQuota(catalog, store.reader, tags, repo);
    const time = await this.#remoteTags.put(call, repo, update);
    return this.#record(call, repo, update, time, options);
  }

  /** Stores a tag: as it is in the registries since a time, or undefined if no registry has it. */
  async #record(
    call: Call,
    repo: string,
    update: TagUpdate,
    time: number | undefined,
    { uid, remember }: RecordOptions,
  ): Promise<Tag> {
    const {
      store,
      catalog: { repos, tags },
    } = this.#deps;
    // Once the registries have the tag, it is stored even if the caller is gone.
    return store.writeFor(time === undefined ? call : {}, async (tx) => {
      // Lock order: the repo before its tags.
      await repos.table.findForChange(tx, repo);
      if (uid !== undefined && (await tags.table.findForChange(tx, uid)) === undefined) {
        throw notFound(tags.typeName, uid);
      }
      const row = await tags.table.namedForChange(tx, repo, update.name);
      if (time === undefined && row !== undefined) checkReplace(call, tags.fromRow(row), update);
      if (time === undefined) await mustHaveImage(tx, repo, update.digest);
      // If the notification was ingested already, its time stays.
      const isIngested = (await newestEntry(tx, repo, update.name))?.digest === update.digest;
      const since = time === undefined || isIngested ? {} : { time };
      const mutation = new Mutation(call, tx, this.#deps);
      const { tag, outcome } = await recordTag(mutation, repo, { ...update, ...since });
      if (outcome === "older") throw aborted(`the tag ${update.name} was changed concurrently`);
      await remember?.(tx, tag as Tag);
      return tag as Tag;
    });
  }

  async #delete(call: Call, { uid }: DeleteTagRequest): Promise<Reply> {
    const { store, catalog } = this.#deps;
    const { tags, repos } = catalog;
    const tag = await tags.find(store.reader, uid);
    if (tag === undefined) throw notFound(tags.typeName, uid);
    const repo = parentOf(uid);
    const time = await this.#remoteTags.delete(call, repo, tag.name);
    await store.writeFor(time === undefined ? call : {}, async (tx) => {
      await repos.table.findForChange(tx, repo);
      if ((await tags.table.findForChange(tx, uid)) === undefined) {
        // The notification may have been ingested already, and the tag pushed again.
        if (time !== undefined) return;
        throw notFound(tags.typeName, uid);
      }
      if (time === undefined) await checkDeletable(catalog, tx, repo, [tag.name]);
      const { seen = 0 } = (await newestEntry(tx, repo, tag.name)) ?? {};
      const mutation = new Mutation(call, tx, this.#deps);
      await removeTag(mutation, repo, tag.name, time ?? Math.max(call.time, seen));
    });
    return EMPTY_REPLY;
  }
}

/** In the registry of this server, a tag has an image: one that was there a moment ago may be deleted by now. */
async function mustHaveImage(tx: Transaction, repo: string, digest: string): Promise<void> {
  const isOwn = (await locationsOf(tx, repo)).some(({ host }) => host === OWN_HOST);
  if (isOwn && (await findManifest(tx, repo, digest)) === undefined) throw imageNotFound(digest);
}
