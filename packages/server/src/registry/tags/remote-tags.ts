import { Capability, capabilityName } from "@wharf/contract";
import type { ResourceStore } from "../../engine/catalog.ts";
import {
  failedPrecondition,
  invalidArgument,
  permissionDenied,
  type WharfError,
} from "../../lib/errors.ts";
import type { Call } from "../../rpc/call.ts";
import { notTriable } from "../../rpc/dry-run.ts";
import { OWN_HOST } from "../../store/tables/registry/locations.ts";
import { newestEntry } from "../../store/tables/registry/tags.ts";
import { asPrecondition, fallbackOnProtocolError } from "../client/protocol-error.ts";
import type { RegistryContents, RemoteManifest } from "../client/remote.ts";
import { checkMovable } from "../ingest/tag-state.ts";
import { type AttachedLocation, writableLocations } from "../locations.ts";
import { checkDeletable, moveProblem } from "../tag-rules/enforcement.ts";

const UPDATE = Capability.CAP_TAG_UPDATE;

interface TagAtLocation extends AttachedLocation {
  /** The digest that the tag has there; undefined if it does not exist. */
  readonly current: string | undefined;
  /** The manifest to tag; undefined if the tag has the digest already, or the image is not there. */
  readonly manifest: RemoteManifest | undefined;
}

/**
 * Writes tags to attached registries, before the store is updated: clients pull what the registry has.
 * Tags of a repo with several locations are written to all of them.
 */
export class RemoteTags {
  readonly #deps: ResourceStore;
  readonly #remotes: ReadonlyMap<string, RegistryContents>;

  constructor(deps: ResourceStore, remotes: ReadonlyMap<string, RegistryContents>) {
    this.#deps = deps;
    this.#remotes = remotes;
  }

  /**
   * Sets the digest of a tag at every location that has the image. Returns since when the tag has the digest; undefined
   * if there was no request to another registry, so that the change is still to be checked and made.
   */
  async put(
    call: Call,
    repo: string,
    { name, digest }: { readonly name: string; readonly digest: string },
  ): Promise<number | undefined> {
    const locations = await this.#locations(call, repo);
    if (locations.length === 0) return undefined;
    const stored = await newestEntry(this.#deps.store.reader, repo, name);
    const targets = await Promise.all(
      locations.map((location) => asPrecondition(readTag(location, name, digest, call.signal))),
    );
    const hasImage = targets.some(
      ({ current, manifest }) => current === digest || manifest !== undefined,
    );
    if (!hasImage) throw imageNotFound(digest);
    const digests = [stored?.digest, ...targets.map(({ current }) => current)];
    if (digests.some((one) => one && one !== digest)) await this.#checkMove(call, repo, name);
    const { catalog, store } = this.#deps;
    await checkMovable(catalog, store.reader, repo, { name, digest });
    if (locations.every(isOwn)) return undefined;
    const time = Math.max(Date.now(), stored?.seen ?? 0);
    if (call.abandoned !== undefined) throw call.abandoned;
    for (const { remote, path, manifest } of targets) {
      if (manifest === undefined) continue;
      const isDone = await asPrecondition(remote.putTag(path, name, manifest, call.caller.uid));
      if (!isDone) throw imageNotFound(digest);
    }
    return time;
  }

  /**
   * The digest that a tag has in the registries, and the time of the requests to others; undefined if the repo has no
   * location. A tag that no location has, or that differs between them, needs a digest.
   */
  async current(
    call: Call,
    repo: string,
    name: string,
  ): Promise<{ readonly digest: string; readonly time: number | undefined } | undefined> {
    const locations = await this.#locations(call, repo);
    if (locations.length === 0) return undefined;
    const stored = await newestEntry(this.#deps.store.reader, repo, name);
    const time = Math.max(Date.now(), stored?.seen ?? 0);
    const found = await Promise.all(
      locations.map(({ remote, path }) => asPrecondition(remote.digestOf(path, name, call.signal))),
    );
    const [digest, ...others] = new Set(found.filter((one) => one !== undefined));
    if (digest === undefined) throw digestRequired(`no registry of the repo has the tag ${name}`);
    if (others.length > 0)
      throw digestRequired(`the tag ${name} has several digests in the registries of the repo`);
    return { digest, time: locations.every(isOwn) ? undefined : time };
  }

  /**
   * Deletes a tag at every location that has it, but never its manifest. Returns when; undefined if there was no request
   * to another registry.
   */
  async delete(call: Call, repo: string, name: string): Promise<number | undefined> {
    const locations = await this.#locations(call, repo);
    const { catalog, store } = this.#deps;
    await checkDeletable(catalog, store.reader, repo, [name]);
    if (locations.every(isOwn)) return undefined;
    const stored = await newestEntry(store.reader, repo, name);
    const exists = async ({ remote, path }: AttachedLocation) =>
      (await asPrecondition(remote.digestOf(path, name, call.signal))) !== undefined;
    const found = await Promise.all(locations.map(exists));
    const time = Math.max(Date.now(), stored?.seen ?? 0);
    if (call.abandoned !== undefined) throw call.abandoned;
    for (const location of locations.filter((_, at) => found[at])) {
      const { remote, path } = location;
      const deletion = remote.deleteTag(path, name, call.caller.uid);
      const isDone = await fallbackOnProtocolError(deletion, false);
      // Registries that can only delete by digest answer 404 to a tag that exists.
      if (!isDone && (await exists(location))) throw tagNotDeletable(remote.host);
    }
    return time;
  }

  /** The locations of a repo. Registries cannot be tried. */
  async #locations({ isDryRun }: Call, repo: string): Promise<AttachedLocation[]> {
    const locations = await writableLocations(this.#deps, this.#remotes, repo);
    if (isDryRun && locations.length > 0) throw notTriable("a tag in attached registries");
    return locations;
  }

  /** Moving a tag needs the same capability as a push that moves it. */
  async #checkMove({ caller }: Call, repo: string, name: string): Promise<void> {
    if (!caller.grants.holds([UPDATE], repo))
      throw permissionDenied([capabilityName(UPDATE)], repo);
    const { catalog, store } = this.#deps;
    const problem = await moveProblem(catalog, store.reader, repo, name);
    if (problem !== undefined) throw problem;
  }
}

/** Whether a location is in the registry of this server, whose content the store has. */
function isOwn({ remote }: AttachedLocation): boolean {
  return remote.host === OWN_HOST;
}

async function readTag(
  { remote, path }: AttachedLocation,
  name: string,
  digest: string,
  signal: AbortSignal,
): Promise<TagAtLocation> {
  const current = await remote.digestOf(path, name, signal);
  const manifest = current === digest ? undefined : await remote.manifest(path, digest, signal);
  return { remote, path, current, manifest };
}

/** The error for a tag without a digest that does not follow from what exists. */
export function digestRequired(reason: string): WharfError {
  return invalidArgument({ field: "digest", description: `digest is required: ${reason}` });
}

export function imageNotFound(digest: string): WharfError {
  const description = `no registry that the repo is in has the image ${digest}`;
  return failedPrecondition({ type: "IMAGE_NOT_FOUND", description });
}

function tagNotDeletable(host: string): WharfError {
  const description = `the registry ${host} cannot delete a tag without its image: delete the image in the registry, or move the tag`;
  return failedPrecondition({ type: "TAG_NOT_DELETABLE", description });
}
