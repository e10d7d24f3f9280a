import { createHash } from "node:crypto";
import { Readable } from "node:stream";
import { notFound, tooMany } from "../../lib/errors.ts";
import { KeyedSemaphore } from "../../lib/scheduling/semaphore.ts";
import type { Transaction } from "../../store/db/commit/transaction.ts";
import type { Reader } from "../../store/db/connection.ts";
import { imageWork } from "../../store/tables/exposure/work/image-work.ts";
import { requestWork } from "../../store/tables/exposure/work/work.ts";
import {
  addBlob,
  type Blob,
  findBlob,
  findBlobs,
  linkBlob,
} from "../../store/tables/registry/blobs.ts";
import { findReferrer, type StoredContent } from "../../store/tables/registry/manifests.ts";
import type { HttpResponse } from "../../wire/endpoint.ts";
import { blobHeaders } from "../serve/blobs.ts";
import { type Reference, readPushedManifest } from "../serve/read-manifest.ts";
import { checkSpace } from "../serve/space.ts";
import { limited } from "../serve/uploads.ts";
import { checkStorageQuota, enforceStorageQuota } from "../usage/storage-quota.ts";
import type { Flights } from "./flights.ts";
import { Followers } from "./followers.ts";
import type { Mirror } from "./mirror.ts";
import type { UpstreamClients } from "./upstream-clients.ts";
import type { MirrorDeps } from "./upstream-manifests.ts";

/** Blobs that arrive from one upstream at a time, and those that wait. */
const CONCURRENCY = 8;
const MAX_QUEUED = 1_000;

/** A blob whose size no manifest states. */
const MAX_BLOB_BYTES = 64 * 1024 ** 3;

/** A blob that arrives. */
interface Arrival {
  readonly followers: Followers;
  /** Whether the upstream has the blob, once it has answered. */
  readonly isFound: Promise<boolean>;
  /** Whether the blob is stored, once that is known. */
  readonly ended: Promise<boolean>;
}

/** Downloads blobs of upstreams into the storage, each once however many clients wait, and passes those of gateways on. */
export class UpstreamBlobs {
  readonly #deps: MirrorDeps;
  readonly #clients: UpstreamClients;
  readonly #flights: Flights;
  readonly #arriving = new Map<string, Arrival>();
  readonly #permits = new KeyedSemaphore({
    perKey: CONCURRENCY,
    maxQueuedPerKey: MAX_QUEUED,
    rejection: () => tooMany("too many blobs are being fetched from this upstream"),
  });

  constructor(deps: MirrorDeps, clients: UpstreamClients, flights: Flights) {
    this.#deps = deps;
    this.#clients = clients;
    this.#flights = flights;
  }

  /** The chunks of a blob while it is stored; undefined if the upstream does not have it. */
  async open(
    mirror: Mirror,
    repo: string,
    blob: Blob,
  ): Promise<AsyncGenerator<Uint8Array> | undefined> {
    const { followers, isFound } = this.#arrivalOf(mirror, repo, blob);
    // Before the first chunk arrives.
    const chunks = followers.follow((offset) => this.#rest(repo, blob.digest, offset));
    return (await isFound) ? chunks : undefined;
  }

  /** Stores a blob. Returns whether the upstream has it. */
  store(mirror: Mirror, repo: string, blob: Blob): Promise<boolean> {
    return this.#arrivalOf(mirror, repo, blob).ended;
  }

  /** A blob that is not kept. Its last chunk is sent once it is verified. */
  async passOn(
    { upstream, remoteName }: Mirror,
    digest: string,
    method: string,
  ): Promise<HttpResponse | undefined> {
    const { client } = this.#clients.of(upstream);
    const isHead = method === "HEAD";
    const found = await client.blob(remoteName, digest, MAX_BLOB_BYTES, isHead ? "HEAD" : "GET");
    if (found === undefined) return undefined;
    const { size, chunks } = found;
    const length = size === undefined ? {} : { "content-length": size };
    const headers = { ...blobHeaders(digest), ...length };
    if (isHead) return { status: 200, headers, body: "" };
    const wrong = () => client.protocolError(`sends ${digest} with other content`);
    const body = Readable.from(verified(chunks, digest, wrong), { objectMode: false });
    return { status: 200, headers, body };
  }

  #arrivalOf(mirror: Mirror, repo: string, blob: Blob): Arrival {
    const key = `${repo} ${blob.digest}`;
    const arriving = this.#arriving.get(key);
    if (arriving !== undefined) return arriving;
    const found = Promise.withResolvers<boolean>();
    const end = Promise.withResolvers<boolean>();
    const followers = new Followers(end.promise);
    const arrival = { followers, isFound: found.promise, ended: end.promise };
    this.#arriving.set(key, arrival);
    // Those who wait report it.
    for (const one of [found.promise, end.promise]) one.catch(() => {});
    const begun = () => found.resolve(true);
    this.#flights
      .run(
        `blob ${key}`,
        async () => ((await this.#isStored(repo, blob.digest)) ? true : undefined),
        () =>
          this.#permits.run(mirror.upstream.uid, () =>
            this.#download(mirror, repo, blob, followers, begun),
          ),
      )
      .finally(() => this.#arriving.delete(key))
      .then(
        (isStored) => {
          found.resolve(isStored);
          end.resolve(isStored);
        },
        (error) => {
          found.reject(error);
          end.reject(error);
        },
      );
    return arrival;
  }

  async #download(
    { upstream, remoteName }: Mirror,
    repo: string,
    { digest, size }: Blob,
    followers: Followers,
    begun: () => void,
  ): Promise<boolean> {
    const { storage, store, catalog, times } = this.#deps;
    const { client } = this.#clients.of(upstream);
    await checkSpace(this.#deps, { headers: { "content-length": String(size) } });
    const found = await client.blob(remoteName, digest, size);
    if (found === undefined) return false;
    if (found.size !== undefined && found.size !== size)
      throw client.protocolError(`has ${digest} with ${found.size} bytes, not ${size}`);
    begun();
    const checkQuota = (bytes: number) =>
      checkStorageQuota(catalog, store.reader, repo, { bytes, digest });
    await checkQuota(size);
    const chunks = limited(this.#deps, followers.passing(found.chunks), checkQuota);
    const part = await storage.writePart(chunks);
    try {
      if (!(await storage.store([part], digest)))
        throw client.protocolError(`sends ${digest} with other content`);
      await store.write(async (tx) => {
        if (!(await catalog.repos.table.keep(tx, repo))) throw notFound("Repo", repo);
        const now = Date.now();
        await addBlob(tx, { digest, size: part.size }, now);
        const growth = await linkBlob(tx, repo, digest, now + times.leaseMs);
        await enforceStorageQuota(this.#deps, tx, growth, part.size);
        await requestReading(tx, repo, digest);
      });
    } finally {
      await storage.removeParts([part]);
    }
    return true;
  }

  async #isStored(repo: string, digest: string): Promise<boolean> {
    return (await findBlob(this.#deps.store.reader, repo, digest))?.damaged === 0;
  }

  async #rest(repo: string, digest: string, start: number): Promise<Readable> {
    const { store, storage } = this.#deps;
    const blob = await findBlob(store.reader, repo, digest);
    const range = { start, end: (blob?.size ?? 0) - 1 };
    const content = blob && (await storage.read(blob, start === 0 ? undefined : range));
    if (content === undefined) throw notFound("Blob", digest);
    return content;
  }
}

/** The size that a manifest of a repo states for a blob; undefined if none refers to it. */
export async function findReferredSize(
  reader: Reader,
  repo: string,
  digest: string,
): Promise<number | undefined> {
  const referrer = await findReferrer(reader, repo, digest);
  const size = referrer && blobsOf(referrer).find((blob) => blob.digest === digest)?.size;
  return size !== undefined && Number.isSafeInteger(size) && size >= 0 ? size : undefined;
}

/** The packages of an image are read once all of its layers are here. */
async function requestReading(tx: Transaction, repo: string, digest: string): Promise<void> {
  const referrer = await findReferrer(tx, repo, digest);
  if (referrer === undefined) return;
  const digests = new Set(blobsOf(referrer).map((blob) => blob.digest));
  const stored = await findBlobs(tx, repo, [...digests]);
  if (stored.size === digests.size) await requestWork(tx, [imageWork(repo, referrer.digest)]);
}

function blobsOf({ content, mediaType, digest }: StoredContent): readonly Reference[] {
  return readPushedManifest(Buffer.from(content), mediaType, digest).blobs;
}

async function* verified(
  chunks: AsyncIterable<Uint8Array>,
  digest: string,
  wrong: () => Error,
): AsyncGenerator<Uint8Array> {
  const [algorithm = "", hex] = digest.split(":");
  const hashed = createHash(algorithm);
  let last: Uint8Array | undefined;
  for await (const chunk of chunks) {
    if (last !== undefined) yield last;
    hashed.update(chunk);
    last = chunk;
  }
  if (hashed.digest("hex") !== hex) throw wrong();
  if (last !== undefined) yield last;
}
