import { ancestorsOf, Capability, capabilityName } from "@wharf/contract";
import type { Engine } from "../../engine/engine.ts";
import { failedPrecondition, permissionDenied, WharfError } from "../../lib/errors.ts";
import type { Call } from "../../rpc/call.ts";
import { locationsOf } from "../../store/tables/registry-locations.ts";
import { wantsUniqueTags } from "../../store/tables/registry-settings.ts";
import { newestEntry } from "../../store/tables/tags.ts";
import { unlessOdd } from "../client/protocol-error.ts";
import type { RemoteManifest, RemoteRegistry } from "../client/remote.ts";
import { mustBeUnused, notMovable } from "../ingest/tag-state.ts";
import { placeOf } from "../path.ts";

const UPDATE = Capability.CAP_TAG_UPDATE;

/** A path of an attached registry that a repo is in. */
interface AttachedPlace {
  readonly remote: RemoteRegistry;
  readonly path: string;
}

/** Such a path, with what a tag stands for there, and what it is to stand for where that is another. */
interface Target extends AttachedPlace {
  readonly now: string | undefined;
  readonly manifest: RemoteManifest | undefined;
}

/**
 * The tags of repos that are in attached registries. They are changed there, before we take note of
 * it: what is in the registry is what is pulled. A repo that is in several has its tags changed in all.
 */
export class PlacedTags {
  readonly #engine: Engine;
  readonly #remotes: ReadonlyMap<string, RemoteRegistry>;

  constructor(engine: Engine, remotes: ReadonlyMap<string, RemoteRegistry>) {
    this.#engine = engine;
    this.#remotes = remotes;
  }

  /**
   * Lets a tag stand for an image in every registry that has both the repo and the image. Returns when
   * it began to; undefined for a repo that is in no registry, of which nothing was asked.
   *
   * @example const time = await placed.put(call, repo, { name: "latest", digest });
   */
  async put(
    call: Call,
    repo: string,
    { name, digest }: { readonly name: string; readonly digest: string },
  ): Promise<number | undefined> {
    const places = await this.#locationsOf(repo);
    if (places.length === 0) return undefined;
    const known = await newestEntry(this.#engine.store.reader, repo, name);
    const targets = await Promise.all(
      places.map((place) => orRefused(look(place, name, digest, call.signal))),
    );
    const has = targets.some(({ now, manifest }) => now === digest || manifest !== undefined);
    if (!has) throw noImage(digest);
    const stoodFor = [known?.digest, ...targets.map(({ now }) => now)];
    if (stoodFor.some((one) => one && one !== digest)) await this.#mayMove(call, repo, name);
    await mustBeUnused(this.#engine.store.reader, repo, { name, digest });
    const time = Math.max(Date.now(), known?.seen ?? 0);
    for (const { remote, path, manifest } of targets) {
      if (manifest === undefined) continue;
      const isDone = await orRefused(remote.tag(path, name, manifest, call.caller.uid));
      if (!isDone) throw noImage(digest);
    }
    return time;
  }

  /**
   * Deletes a tag, and never the image, from every registry that has it. Returns when; undefined for a
   * repo that is in no registry.
   *
   * @example const time = await placed.delete(call, repo, "latest");
   */
  async delete(call: Call, repo: string, name: string): Promise<number | undefined> {
    const places = await this.#locationsOf(repo);
    if (places.length === 0) return undefined;
    const known = await newestEntry(this.#engine.store.reader, repo, name);
    const isThere = async ({ remote, path }: AttachedPlace) =>
      (await orRefused(remote.digestOf(path, name, call.signal))) !== undefined;
    const found = await Promise.all(places.map(isThere));
    const time = Math.max(Date.now(), known?.seen ?? 0);
    for (const place of places.filter((_, at) => found[at])) {
      const isDone = await unlessOdd(place.remote.untag(place.path, name, call.caller.uid), false);
      // Some say that there is nothing of that name, where they know of digests alone.
      if (!isDone && (await isThere(place))) throw notDeletable(place.remote.host);
    }
    return time;
  }

  async #locationsOf(repo: string): Promise<AttachedPlace[]> {
    const { reader } = this.#engine.store;
    const attached: AttachedPlace[] = [];
    for (const { host, path } of await locationsOf(reader, repo)) {
      const remote = this.#remotes.get(host);
      // A folder may have been renamed: what is there is then another's, and the next look finds it.
      const isStill = (await placeOf(this.#engine, reader, path))?.repo === repo;
      if (remote !== undefined && isStill) attached.push({ remote, path });
    }
    return attached;
  }

  /** Making a tag is one thing; taking one from another image is what a push would take more for. */
  async #mayMove({ caller }: Call, repo: string, name: string): Promise<void> {
    if (!caller.grants.holds([UPDATE], repo))
      throw permissionDenied([capabilityName(UPDATE)], repo);
    const { reader } = this.#engine.store;
    if (await wantsUniqueTags(reader, ancestorsOf(repo))) throw notMovable(name);
  }
}

async function look(
  { remote, path }: AttachedPlace,
  name: string,
  digest: string,
  signal: AbortSignal,
): Promise<Target> {
  const now = await remote.digestOf(path, name, signal);
  const manifest = now === digest ? undefined : await remote.manifest(path, digest, signal);
  return { remote, path, now, manifest };
}

/** What a registry was asked for; that it does not do it is so the next time, too. */
async function orRefused<T>(asked: Promise<T>): Promise<T> {
  try {
    return await asked;
  } catch (thrown) {
    const { code, message } = WharfError.from(thrown);
    if (code !== "UNKNOWN") throw thrown;
    const description = message.slice(message.indexOf(": ") + 2);
    throw failedPrecondition({ type: "REGISTRY_REFUSED", description });
  }
}

function noImage(digest: string): WharfError {
  const description = `no registry that the repo is in has the image ${digest}`;
  return failedPrecondition({ type: "IMAGE_NOT_FOUND", description });
}

function notDeletable(host: string): WharfError {
  const description = `the registry ${host} cannot delete a tag alone: delete the image that it stands for there, or move the tag`;
  return failedPrecondition({ type: "TAG_NOT_DELETABLE", description });
}
