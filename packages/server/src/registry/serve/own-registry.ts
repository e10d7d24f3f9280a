import type { ResourceStore } from "../../engine/catalog.ts";
import { findBlob } from "../../store/tables/registry/blobs.ts";
import { OWN_HOST } from "../../store/tables/registry/locations.ts";
import { readManifestContent } from "../../store/tables/registry/manifests.ts";
import { newestEntry } from "../../store/tables/registry/tags.ts";
import type { RegistryContents, RemoteManifest } from "../client/remote.ts";
import { isDigest } from "../images/manifest.ts";
import { resolvePath } from "../path.ts";
import type { ContentStorage } from "../storage/content-storage.ts";

/** Larger configurations are not read into memory. */
const MAX_CONFIG_BYTES = 8 * 1024 * 1024;

/**
 * The registry of this server, for code that works with the contents of any registry. Its tags and manifests are the rows
 * of the store: who changes those has changed the registry.
 */
export class OwnRegistry implements RegistryContents {
  readonly host = OWN_HOST;
  readonly #deps: ResourceStore;
  readonly #storage: ContentStorage;

  constructor(deps: ResourceStore, storage: ContentStorage) {
    this.#deps = deps;
    this.#storage = storage;
  }

  async digestOf(path: string, reference: string): Promise<string | undefined> {
    return (await this.manifest(path, reference))?.digest;
  }

  async manifest(path: string, reference: string): Promise<RemoteManifest | undefined> {
    const { reader } = this.#deps.store;
    const repo = await this.#repoAt(path);
    if (repo === undefined) return undefined;
    const digest = isDigest(reference)
      ? reference
      : (await newestEntry(reader, repo, reference))?.digest;
    const found = digest && (await readManifestContent(reader, repo, digest));
    return digest && found
      ? { digest, bytes: found.content, contentType: found.mediaType }
      : undefined;
  }

  async config(path: string, digest: string): Promise<Uint8Array | undefined> {
    const { reader } = this.#deps.store;
    const repo = await this.#repoAt(path);
    const blob = repo && (await findBlob(reader, repo, digest));
    if (!blob || blob.damaged > 0 || blob.size > MAX_CONFIG_BYTES) return undefined;
    const chunks: Buffer[] = [];
    for await (const chunk of (await this.#storage.read(blob)) ?? []) chunks.push(chunk as Buffer);
    return Buffer.concat(chunks);
  }

  async putTag(): Promise<boolean> {
    return true;
  }

  async deleteTag(): Promise<boolean> {
    return true;
  }

  async deleteManifest(path: string, digest: string): Promise<boolean> {
    return (await this.manifest(path, digest)) !== undefined;
  }

  async #repoAt(path: string): Promise<string | undefined> {
    const { catalog, store } = this.#deps;
    return (await resolvePath(catalog, store.reader, path))?.repo;
  }
}
