import { randomUUID } from "node:crypto";
import { OPERATOR_UID } from "../../auth/caller.ts";
import { WharfError } from "../../lib/errors.ts";
import type { Transaction } from "../../store/db/commit/transaction.ts";
import { addBlob, linkBlob } from "../../store/tables/registry/blobs.ts";
import { OWN_HOST } from "../../store/tables/registry/locations.ts";
import { confirmEntry, newestEntry } from "../../store/tables/registry/tags.ts";
import type { RemoteManifest } from "../client/remote.ts";
import { architectureOf, isDigest } from "../images/manifest.ts";
import { ensureRepoForPath } from "../ingest/ensure-repo-for-path.ts";
import { type MutationOrigin, systemMutation } from "../ingest/system-mutation.ts";
import { recordTag } from "../ingest/tag-state.ts";
import type { ServeDeps } from "../serve/deps.ts";
import { type PushedManifest, readPushedManifest } from "../serve/read-manifest.ts";
import type { ServedManifest } from "../serve/served-manifest.ts";
import { storeManifest } from "../serve/store-manifest.ts";
import { enforceStorageQuota } from "../usage/storage-quota.ts";
import type { Mirror } from "./mirror.ts";
import type { UpstreamClients } from "./upstream-clients.ts";

export type MirrorDeps = Omit<ServeDeps, "mirrors">;

/** The repository that a manifest is stored in, and the condition of that. */
export interface Destination {
  /** The path of the repository here. */
  readonly name: string;
  readonly time: number;
  /** Rejects if it must not be stored any more: access is gone, or the upstream is another one. */
  confirm(tx: Transaction): Promise<void>;
}

/** Fetches manifests of upstreams, and stores them. */
export class UpstreamManifests {
  readonly #deps: MirrorDeps;
  readonly #clients: UpstreamClients;

  constructor(deps: MirrorDeps, clients: UpstreamClients) {
    this.#deps = deps;
    this.#clients = clients;
  }

  /** A manifest as the upstream has it, verified; undefined if it has none. */
  async fetch(
    { upstream, remoteName }: Mirror,
    reference: string,
  ): Promise<FetchedManifest | undefined> {
    const { remote, client } = this.#clients.of(upstream);
    const found = await remote.manifest(remoteName, reference);
    if (found === undefined) return undefined;
    const { bytes, contentType, digest } = found;
    try {
      // A signed manifest of schema 1 has another digest than its bytes: it is not served.
      const manifest = readPushedManifest(Buffer.from(bytes), contentType, digest);
      return { ...found, manifest };
    } catch (error) {
      throw client.protocolError(`sends an invalid manifest: ${(error as Error).message}`);
    }
  }

  /** The digest of a tag at the upstream; undefined if it has none. */
  async digestOf({ upstream, remoteName }: Mirror, tag: string): Promise<string | undefined> {
    return this.#clients.of(upstream).remote.digestOf(remoteName, tag);
  }

  /** Stores a manifest under a tag or its digest, in one transaction, which creates a missing repo. */
  async keep(
    mirror: Mirror,
    fetched: FetchedManifest,
    reference: string,
    destination: Destination,
  ): Promise<ServedManifest> {
    const { store, storage, times } = this.#deps;
    const { name, time, confirm } = destination;
    const { digest, bytes } = fetched;
    const config = await this.#storeConfig(mirror, fetched.manifest);
    const manifest = { ...fetched.manifest, architecture: config.architecture };
    try {
      const repo = await store.write(async (tx) => {
        await confirm(tx);
        const origin = originOf(mirror, time);
        const ensured = await ensureRepoForPath(this.#deps, tx, OWN_HOST, name, origin);
        if (ensured === undefined) throw new WharfError("NOT_FOUND", `${name} cannot be a repo`);
        const { uid: repo } = ensured;
        const mutation = systemMutation(this.#deps, tx, "tag", origin);
        await storeManifest(mutation, repo, manifest, bytes, time);
        if (config.blob !== undefined) {
          const { digest: own, size } = config.blob;
          await addBlob(tx, config.blob, time);
          const growth = await linkBlob(tx, repo, own, Date.now() + times.leaseMs);
          await enforceStorageQuota(this.#deps, tx, growth, size);
        }
        if (!isDigest(reference)) await recordTag(mutation, repo, { name: reference, digest });
        return repo;
      });
      return { digest, mediaType: manifest.mediaType, content: bytes, repo, seen: time };
    } finally {
      await storage.removeParts(config.parts);
    }
  }

  /** Records that a tag still has its digest, or has moved to a manifest that is stored. */
  async confirmTag(
    mirror: Mirror,
    repo: string,
    tag: string,
    digest: string,
    { time, confirm }: Pick<Destination, "time" | "confirm">,
  ): Promise<void> {
    await this.#deps.store.write(async (tx) => {
      await confirm(tx);
      const newest = await newestEntry(tx, repo, tag);
      if (newest?.digest === digest) return confirmEntry(tx, newest.id, time);
      const mutation = systemMutation(this.#deps, tx, "tag", originOf(mirror, time));
      await recordTag(mutation, repo, { name: tag, digest });
    });
  }

  /** Clients pull the configuration of an image next, and it has the architecture. */
  async #storeConfig(
    { upstream, remoteName }: Mirror,
    { hasImageConfig, configDigest, architecture }: PushedManifest,
  ) {
    const none = { architecture, blob: undefined, parts: [] };
    if (!hasImageConfig) return none;
    const { remote } = this.#clients.of(upstream);
    // Without it, clients ask for it later as for every blob.
    const bytes = await remote.config(remoteName, configDigest).catch(() => undefined);
    if (bytes === undefined) return none;
    const { storage } = this.#deps;
    const part = await storage.writePart(oneChunk(Buffer.from(bytes)));
    await storage.store([part], configDigest);
    const blob = { digest: configDigest, size: bytes.length };
    try {
      return { architecture: architectureOf(bytes), blob, parts: [part] };
    } catch {
      return { architecture, blob, parts: [part] };
    }
  }
}

/** A manifest whose digest was verified. */
export interface FetchedManifest extends RemoteManifest {
  readonly manifest: PushedManifest;
}

/** The actor of changes that follow from an upstream, as audit log and events name it. */
function originOf({ upstream: { url } }: Mirror, time: number): MutationOrigin {
  return {
    actor: OPERATOR_UID,
    actorName: `upstream ${URL.parse(url)?.host}`,
    time,
    requestId: randomUUID(),
    remoteAddress: "",
    userAgent: "upstreams",
    enforcesQuotas: true,
  };
}

async function* oneChunk(bytes: Buffer): AsyncGenerator<Buffer> {
  yield bytes;
}
