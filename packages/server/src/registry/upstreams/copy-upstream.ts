import { ancestorsOf, isRoot, type Upstream } from "@wharf/contract";
import { matchesAny } from "@wharf/contract/glob";
import type { Catalog } from "../../engine/catalog.ts";
import { WharfError } from "../../lib/errors.ts";
import type { Transaction } from "../../store/db/commit/transaction.ts";
import type { Reader } from "../../store/db/connection.ts";
import { findBlobs } from "../../store/tables/registry/blobs.ts";
import { newestEntry } from "../../store/tables/registry/tags.ts";
import { isRepositoryName, resolvePath } from "../path.ts";
import { type PushedManifest, readPushedManifest } from "../serve/read-manifest.ts";
import { findServed } from "../serve/served-manifest.ts";
import { localNameOf, type Mirror } from "./mirror.ts";
import type { SyncResult } from "./sync-result.ts";
import type { UpstreamBlobs } from "./upstream-blobs.ts";
import type { UpstreamClients } from "./upstream-clients.ts";
import type { Destination, MirrorDeps, UpstreamManifests } from "./upstream-manifests.ts";

/** Indexes within indexes, and what is attached to what is attached. */
const MAX_DEPTH = 4;

/** Repositories of one upstream. */
const MAX_REPOSITORIES = 10_000;

export interface CopyDeps extends MirrorDeps {
  readonly clients: UpstreamClients;
  readonly manifests: UpstreamManifests;
  readonly blobs: UpstreamBlobs;
}

/** One synchronization of an upstream. What is stored is not copied again, so that one that was interrupted goes on. */
export class UpstreamCopy {
  readonly #deps: CopyDeps;
  readonly #upstream: Upstream;
  readonly #confirm: (tx: Transaction) => Promise<void>;
  readonly #signal: AbortSignal;
  readonly #result = { tags: 0, copied: 0, failed: 0, error: "" };

  /** @param confirm Rejects when the upstream is another one, or another process copies it. */
  constructor(
    deps: CopyDeps,
    upstream: Upstream,
    confirm: (tx: Transaction) => Promise<void>,
    signal: AbortSignal,
  ) {
    this.#deps = deps;
    this.#upstream = upstream;
    this.#confirm = confirm;
    this.#signal = signal;
  }

  /** Copies all tags. One that cannot be copied does not stop the others, unless the upstream does not answer. */
  async run(): Promise<SyncResult> {
    try {
      const at = await pathOf(this.#deps.catalog, this.#deps.store.reader, this.#upstream.uid);
      for await (const [name, remoteName] of this.#repositories(at)) {
        await this.#copyRepository(name, { upstream: this.#upstream, remoteName });
      }
    } catch (error) {
      if (this.#signal.aborted) throw error;
      this.#fail(error);
    }
    return this.#result;
  }

  /** The repositories, by their path here and their name at the upstream. */
  async *#repositories(at: string): AsyncGenerator<readonly [string, string]> {
    const { catalog, store, clients } = this.#deps;
    const { path, uid, repositories } = this.#upstream;
    if ((await catalog.repos.find(store.reader, uid)) !== undefined) {
      yield [at, path];
      return;
    }
    const { remote } = clients.of(this.#upstream);
    const globs = repositories.filter((pattern) => /[*?]/.test(pattern));
    const names = new Set(repositories.filter((pattern) => !globs.includes(pattern)));
    for (let next: string | undefined = "/v2/_catalog?n=1000"; next && globs.length > 0; ) {
      const page = await remote.catalog(next, this.#signal);
      for (const name of page.names) if (matchesAny(globs, name)) names.add(name);
      next = names.size > MAX_REPOSITORIES ? undefined : page.next;
    }
    for (const remoteName of names) {
      const name = localNameOf(this.#upstream, at, remoteName);
      if (name !== undefined && isRepositoryName(name)) yield [name, remoteName];
      else this.#fail(new Error(`${remoteName} cannot be a repository here`));
    }
  }

  async #copyRepository(name: string, mirror: Mirror): Promise<void> {
    const { remote, client } = this.#deps.clients.of(this.#upstream);
    for (let next: string | undefined = ""; next !== undefined; ) {
      const page = await remote.tags(mirror.remoteName, next, this.#signal);
      if (page === undefined) throw client.protocolError(`has no repository ${mirror.remoteName}`);
      for (const tag of page.names.filter((one) => matchesAny(this.#upstream.tags, one))) {
        this.#signal.throwIfAborted();
        await this.#copyTag(name, mirror, tag).catch((error) => {
          if (isEnding(error) || this.#signal.aborted) throw error;
          this.#fail(error);
        });
      }
      next = page.next;
    }
  }

  async #copyTag(name: string, mirror: Mirror, tag: string): Promise<void> {
    this.#result.tags++;
    const { manifests, store, catalog } = this.#deps;
    const digest = await manifests.digestOf(mirror, tag);
    if (digest === undefined) return;
    const destination = { name, time: Date.now(), confirm: this.#confirm };
    await this.#copyManifest(mirror, destination, digest, 0);
    const repo = (await resolvePath(catalog, store.reader, name))?.repo ?? "";
    const before = await newestEntry(store.reader, repo, tag);
    await manifests.confirmTag(mirror, repo, tag, digest, destination);
    if (before?.digest !== digest) this.#result.copied++;
  }

  /** Copies a manifest with all that it refers to, and what is attached to it. */
  async #copyManifest(
    mirror: Mirror,
    destination: Destination,
    digest: string,
    depth: number,
  ): Promise<void> {
    if (depth > MAX_DEPTH) return;
    const { repo, manifest } = await this.#manifest(mirror, destination, digest);
    for (const child of manifest.manifests) {
      await this.#copyManifest(mirror, destination, child.digest, depth + 1);
    }
    const { clients, blobs, store } = this.#deps;
    const { remote, client } = clients.of(this.#upstream);
    const digests = manifest.blobs.map((blob) => blob.digest);
    const stored = await findBlobs(store.reader, repo, digests);
    for (const { digest: blob, size = 0 } of manifest.blobs) {
      this.#signal.throwIfAborted();
      if (stored.has(blob)) continue;
      if (!(await blobs.store(mirror, repo, { digest: blob, size })))
        throw client.protocolError(`does not have ${blob} of ${mirror.remoteName}`);
    }
    const attached = await remote.referrers(mirror.remoteName, digest, "", this.#signal);
    for (const one of attached?.digests ?? []) {
      await this.#copyManifest(mirror, destination, one, depth + 1);
    }
  }

  async #manifest(
    mirror: Mirror,
    destination: Destination,
    digest: string,
  ): Promise<{ readonly repo: string; readonly manifest: PushedManifest }> {
    const { manifests, clients, catalog, store } = this.#deps;
    const repo = (await resolvePath(catalog, store.reader, destination.name))?.repo ?? "";
    const stored = await findServed(store.reader, repo, digest);
    if (stored !== undefined) {
      const { content, mediaType } = stored;
      return { repo, manifest: readPushedManifest(Buffer.from(content), mediaType, digest) };
    }
    const fetched = await manifests.fetch(mirror, digest);
    if (fetched === undefined)
      throw clients.of(this.#upstream).client.protocolError(`does not have ${digest}`);
    const { repo: uid } = await manifests.keep(mirror, fetched, digest, destination);
    return { repo: uid, manifest: fetched.manifest };
  }

  #fail(error: unknown): void {
    this.#result.failed++;
    const isKnown = error instanceof WharfError && error.code !== "INTERNAL";
    const text = isKnown ? error.message : "it failed on the server: its log has the reason";
    this.#result.error ||= text.slice(0, 500);
    if (!isKnown) this.#deps.log.error({ err: error }, "a tag of an upstream was not copied");
  }
}

/** Errors after which further requests are in vain. */
function isEnding(error: unknown): boolean {
  const ending = ["UNAVAILABLE", "DEADLINE_EXCEEDED", "ABORTED", "RESOURCE_EXHAUSTED"];
  return error instanceof WharfError && ending.includes(error.code);
}

/** The path of a group or repo in names of images. */
async function pathOf({ groups, repos }: Catalog, reader: Reader, uid: string): Promise<string> {
  const above = [...ancestorsOf(uid).reverse(), uid];
  const found = await groups.findMany(reader, above);
  const repo = await repos.find(reader, uid);
  const segments = above.map((one) => {
    const group = found.get(one);
    if (isRoot(one)) return group?.verified ? group.name : one;
    return group?.name ?? repo?.name ?? one;
  });
  return segments.join("/");
}
