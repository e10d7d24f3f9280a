import { Readable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { timestampMs } from "@bufbuild/protobuf/wkt";
import { UpstreamMode as Mode, type Upstream } from "@wharf/contract";
import { matchesAny } from "@wharf/contract/glob";
import { BoundedCache } from "../../lib/bounded-cache.ts";
import { failedPrecondition, WharfError } from "../../lib/errors.ts";
import type { Transaction } from "../../store/db/commit/transaction.ts";
import type { HttpResponse } from "../../wire/endpoint.ts";
import { isDigest } from "../images/manifest.ts";
import { resolvePath } from "../path.ts";
import { blobHeaders } from "../serve/blobs.ts";
import type { RepoRequest } from "../serve/deps.ts";
import { storedTags, type TagPage } from "../serve/lists.ts";
import type { Mirrors } from "../serve/mirrors.ts";
import { confirmAccess } from "../serve/repo-writes.ts";
import { findServed, type ServedManifest } from "../serve/served-manifest.ts";
import type { Flights } from "./flights.ts";
import { findMirror, type Mirror } from "./mirror.ts";
import { badGateway, isPassing, stale, warningOf } from "./stale.ts";
import { findReferredSize, type UpstreamBlobs } from "./upstream-blobs.ts";
import type { UpstreamClients } from "./upstream-clients.ts";
import type { MirrorDeps, UpstreamManifests } from "./upstream-manifests.ts";

/** A client waits so long for the revalidation of a tag that is stored; it goes on beside the stale answer. */
const REVALIDATION_WAIT_MS = 500;

/** A stored tag is not revalidated for so long after a failure. */
const RETRY_MS = 15_000;

/** A manifest that the upstream does not have is not asked for again for so long. */
const MISSING_MS = 15_000;

const MAX_CACHE_ENTRIES = 10_000;

export interface UpstreamCacheDeps extends MirrorDeps {
  readonly clients: UpstreamClients;
  readonly manifests: UpstreamManifests;
  readonly blobs: UpstreamBlobs;
  readonly flights: Flights;
}

/** A request for a repository that is a mirror. */
interface MirrorRequest {
  readonly mirror: Mirror;
  readonly request: RepoRequest;
  readonly reference: string;
}

/**
 * Serves images of upstreams. What is stored is served without a request to the upstream: a digest forever, a tag until it is
 * to be revalidated. When the upstream does not answer, stored tags are served as they were, with `Warning` and `Age`.
 */
export class UpstreamCache implements Mirrors {
  readonly #deps: UpstreamCacheDeps;
  /** Tags whose revalidation has failed. */
  readonly #failed = new BoundedCache<string, WharfError>({
    maxEntries: MAX_CACHE_ENTRIES,
    ttlMs: RETRY_MS,
  });
  /** Manifests that upstreams did not have. */
  readonly #missing = new BoundedCache<string, true>({
    maxEntries: MAX_CACHE_ENTRIES,
    ttlMs: MISSING_MS,
  });

  constructor(deps: UpstreamCacheDeps) {
    this.#deps = deps;
  }

  async manifest(
    request: RepoRequest,
    reference: string,
    local: ServedManifest | undefined,
  ): Promise<ServedManifest | undefined> {
    if (local !== undefined && isDigest(reference)) return local;
    const mirror = await this.#mirrorOf(request);
    if (mirror === undefined || !servesTag(mirror, reference)) return local;
    const mirrored = { mirror, request, reference };
    try {
      if (mirror.upstream.mode === Mode.GATEWAY) return await this.#passOn(mirrored);
      if (local === undefined) return await this.#fetch(mirrored);
      const isFresh = request.time - local.seen < mirror.upstream.revalidateSeconds * 1_000;
      return isFresh ? local : await this.#revalidated(mirrored, local);
    } catch (error) {
      throw badGateway(error);
    }
  }

  async blob(request: RepoRequest, digest: string): Promise<HttpResponse | undefined> {
    const mirror = await this.#mirrorOf(request);
    if (mirror === undefined) return undefined;
    const { store, blobs } = this.#deps;
    const { repo } = request.path;
    const { method } = request.request;
    try {
      if (mirror.upstream.mode === Mode.GATEWAY) return await blobs.passOn(mirror, digest, method);
      // Nobody makes this server fetch what no image of the repo needs.
      const size = repo && (await findReferredSize(store.reader, repo, digest));
      if (!repo || size === undefined) return undefined;
      const headers = { ...blobHeaders(digest), "content-length": size };
      if (method === "HEAD") return { status: 200, headers, body: "" };
      const chunks = await blobs.open(mirror, repo, { digest, size: Number(size) });
      if (chunks === undefined) return undefined;
      return { status: 200, headers, body: Readable.from(chunks, { objectMode: false }) };
    } catch (error) {
      throw badGateway(error);
    }
  }

  async tags(request: RepoRequest, after: string, limit: number): Promise<TagPage | undefined> {
    const mirror = await this.#mirrorOf(request);
    if (mirror === undefined || limit === 0) return undefined;
    const { upstream, remoteName } = mirror;
    const { store, clients } = this.#deps;
    const last = after === "" ? "" : `&last=${encodeURIComponent(after)}`;
    const target = `/v2/${remoteName}/tags/list?n=${limit}${last}`;
    try {
      const page = await clients.of(upstream).remote.tags(remoteName, target);
      if (page === undefined) return undefined;
      const tags = page.names.filter((tag) => matchesAny(upstream.tags, tag));
      const next = page.next === undefined ? undefined : (lastOf(page.next) ?? page.names.at(-1));
      return { tags, next };
    } catch (error) {
      if (!isPassing(error) || request.path.repo === undefined) throw badGateway(error);
      const headers = { warning: warningOf(error.message) };
      return { ...(await storedTags(store.reader, request, after, limit)), headers };
    }
  }

  async referrers(request: RepoRequest, subject: string): Promise<readonly object[] | undefined> {
    const mirror = await this.#mirrorOf(request);
    if (mirror === undefined) return undefined;
    const { remote } = this.#deps.clients.of(mirror.upstream);
    try {
      return (await remote.referrers(mirror.remoteName, subject, ""))?.descriptors;
    } catch (error) {
      // Those that were pulled before are stored.
      if (isPassing(error)) return undefined;
      throw badGateway(error);
    }
  }

  async pushProblem({
    path,
    name,
  }: Pick<RepoRequest, "path" | "name">): Promise<string | undefined> {
    const { catalog, store } = this.#deps;
    const mirror = await findMirror(catalog, store.reader, path, name);
    if (mirror === undefined || mirror.upstream.mode === Mode.SYNC) return undefined;
    const { host } = new URL(mirror.upstream.url);
    return `images of ${name} come from the upstream ${host} (${mirror.remoteName}): push them there`;
  }

  /** Synchronized repositories are served as they are. */
  async #mirrorOf({ path, name }: RepoRequest): Promise<Mirror | undefined> {
    const { catalog, store } = this.#deps;
    const mirror = await findMirror(catalog, store.reader, path, name);
    return mirror?.upstream.mode === Mode.SYNC ? undefined : mirror;
  }

  /** A stored tag: as the upstream says, or as it was if that does not answer soon. */
  async #revalidated(
    mirrored: MirrorRequest,
    local: ServedManifest,
  ): Promise<ServedManifest | undefined> {
    const key = keyOf(mirrored);
    const failure = this.#failed.get(key);
    if (failure !== undefined) return stale(local, mirrored.request.time, failure.message);
    const current = this.#fetch(mirrored, local).catch((error) => {
      if (!isPassing(error)) throw error;
      this.#failed.set(key, error);
      return error;
    });
    const late = sleep(REVALIDATION_WAIT_MS, LATE, { ref: false });
    const first = await Promise.race([current, late]);
    if (first !== LATE && !(first instanceof WharfError)) return first;
    current.catch(() => {});
    const why = first === LATE ? "the upstream has not answered yet" : first.message;
    return stale(local, mirrored.request.time, why);
  }

  /** Fetches a manifest once for all who wait; undefined if the upstream does not have it. */
  #fetch(mirrored: MirrorRequest, local?: ServedManifest): Promise<ServedManifest | undefined> {
    const { reference, request } = mirrored;
    const { flights, store } = this.#deps;
    const key = keyOf(mirrored);
    if (this.#missing.get(key)) return Promise.resolve(undefined);
    const stored = async () => {
      const path = await resolvePath(this.#deps.catalog, store.reader, request.name);
      const found = await findServed(store.reader, path?.repo ?? "", reference);
      const isNew = isDigest(reference) || (found?.seen ?? 0) > (local?.seen ?? 0);
      return isNew && found !== undefined ? { found } : undefined;
    };
    const work = async () => ({ found: await this.#fetchNow(mirrored, local) });
    return flights.run(key, stored, work).then(({ found }) => {
      if (found === undefined) this.#missing.set(key, true);
      return found;
    });
  }

  async #fetchNow(
    { mirror, request, reference }: MirrorRequest,
    local: ServedManifest | undefined,
  ): Promise<ServedManifest | undefined> {
    const { manifests, store } = this.#deps;
    const confirm = (tx: Transaction) => this.#confirm(tx, mirror.upstream, request);
    const destination = { name: request.name, time: Date.now(), confirm };
    let target = reference;
    if (local !== undefined) {
      const digest = await manifests.digestOf(mirror, reference);
      if (digest === undefined) return undefined;
      const stored =
        digest === local.digest ? local : await findServed(store.reader, local.repo, digest);
      if (stored !== undefined) {
        await manifests.confirmTag(mirror, local.repo, reference, digest, destination);
        return stored;
      }
      target = digest;
    }
    const fetched = await manifests.fetch(mirror, target);
    return fetched && manifests.keep(mirror, fetched, reference, destination);
  }

  /** Checks again in the transaction what was checked before the request to the upstream. */
  async #confirm(tx: Transaction, upstream: Upstream, request: RepoRequest): Promise<void> {
    const { upstreams } = this.#deps.catalog;
    await confirmAccess(this.#deps, tx, request, "pull");
    const now = await upstreams.find(tx, upstream.uid);
    if (timeOf(now) === timeOf(upstream)) return;
    const description = "the upstream was changed meanwhile: try again";
    throw failedPrecondition({ type: "UPSTREAM_CHANGED", description });
  }

  /** A manifest that is not kept. */
  async #passOn({
    mirror,
    request,
    reference,
  }: MirrorRequest): Promise<ServedManifest | undefined> {
    const fetched = await this.#deps.manifests.fetch(mirror, reference);
    if (fetched === undefined) return undefined;
    const { digest, bytes: content, manifest } = fetched;
    const { repo = "" } = request.path;
    return { digest, content, mediaType: manifest.mediaType, repo, seen: request.time };
  }
}

const LATE: unique symbol = Symbol("late");

function servesTag({ upstream }: Mirror, reference: string): boolean {
  return isDigest(reference) || matchesAny(upstream.tags, reference);
}

function keyOf({ mirror, request, reference }: MirrorRequest): string {
  return `${mirror.upstream.uid} ${timeOf(mirror.upstream)} ${request.name} ${reference}`;
}

function timeOf(upstream: Upstream | undefined): number {
  return upstream?.updateTime === undefined ? 0 : timestampMs(upstream.updateTime);
}

function lastOf(target: string): string | undefined {
  return new URL(target, "http://registry").searchParams.get("last") ?? undefined;
}
