/** The files of a registry, written without pushes. */
import { hash } from "node:crypto";
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

export const MANIFEST = "application/vnd.oci.image.manifest.v1+json";
export const INDEX = "application/vnd.oci.image.index.v1+json";
const CONFIG = "application/vnd.oci.image.config.v1+json";
const LAYER = "application/vnd.oci.image.layer.v1.tar";

interface Blob {
  readonly mediaType: string;
  readonly digest: string;
  readonly size: number;
}

/** An image as it is stored. */
export interface StoredImage {
  readonly digest: string;
  /** The manifests of an image that its repository needs. */
  readonly manifests: readonly string[];
  readonly layers: readonly string[];
  /** Bytes of the layers and the configuration; 0 for an index. */
  readonly size: number;
  /** Bytes of its manifest. */
  readonly manifestSize: number;
}

/** The files of a registry, written as CNCF Distribution would: thousands of pushes take hours. */
export class RegistryStorage {
  readonly #root: string;
  readonly #layer: Blob;
  /** Contents that repositories already have, as `path@digest`. */
  readonly #had = new Set<string>();

  /** @example const storage = new RegistryStorage(registry.storage); */
  constructor(root: string) {
    this.#root = join(root, "docker/registry/v2");
    this.#layer = this.#blob(LAYER, Buffer.alloc(1024));
  }

  /** Stores an image that is like no other of another name. */
  image(name: string, architecture = "amd64", labels: object = {}): StoredImage {
    const run = { Labels: { name, ...labels } };
    const config = this.#blob(CONFIG, { architecture, os: "linux", config: run });
    const layers = [this.#layer];
    const manifest = { schemaVersion: 2, mediaType: MANIFEST, config, layers };
    const { digest, size: manifestSize } = this.#blob(MANIFEST, manifest);
    const size = config.size + this.#layer.size;
    const layerDigests = [config.digest, this.#layer.digest];
    return { digest, manifests: [digest], layers: layerDigests, size, manifestSize };
  }

  /** Stores an artifact that is attached to an image, such as a signature. */
  attachment(name: string, image: StoredImage, artifactType?: string): StoredImage {
    const config = this.#blob("application/vnd.oci.empty.v1+json", { name });
    const subject = { mediaType: MANIFEST, digest: image.digest, size: image.manifestSize };
    const layers = [this.#layer];
    const type = artifactType && { artifactType };
    const manifest = { schemaVersion: 2, mediaType: MANIFEST, ...type, config, layers, subject };
    const { digest: own, size: manifestSize } = this.#blob(MANIFEST, manifest);
    const size = config.size + this.#layer.size;
    const layerDigests = [config.digest, this.#layer.digest];
    return { digest: own, manifests: [own], layers: layerDigests, size, manifestSize };
  }

  /** Stores an artifact of one layer with this content, attached to an image if there is one. */
  document(mediaType: string, content: string, image?: StoredImage): StoredImage {
    const config = this.#blob("application/vnd.oci.empty.v1+json", {});
    const layer = this.#blob(mediaType, Buffer.from(content));
    const subject = image && {
      subject: { mediaType: MANIFEST, digest: image.digest, size: image.manifestSize },
    };
    const manifest = { schemaVersion: 2, mediaType: MANIFEST, config, layers: [layer], ...subject };
    const { digest, size: manifestSize } = this.#blob(MANIFEST, manifest);
    const layers = [config.digest, layer.digest];
    return { digest, manifests: [digest], layers, size: config.size + layer.size, manifestSize };
  }

  /** Puts an image into a repository without a tag. */
  put(path: string, image: StoredImage): void {
    this.tag(path, "temporary", image);
    this.untag(path, "temporary");
  }

  /** Stores an index of images for several architectures. */
  index(name: string, architectures: readonly string[]): StoredImage {
    const images = architectures.map((one) => this.image(`${name} for ${one}`, one));
    const manifests = images.map(({ digest, manifestSize: size }, at) => {
      const platform = { os: "linux", architecture: architectures[at] };
      return { mediaType: MANIFEST, digest, size, platform };
    });
    return this.#index(images, manifests);
  }

  /** Stores an index that names one thing so many times. */
  repeated(image: StoredImage, mediaType: string, times: number): StoredImage {
    const entry = { mediaType, digest: image.digest, size: image.manifestSize };
    return this.#index([image], Array(times).fill(entry));
  }

  /** Puts an image into a repository, under a tag. */
  tag(path: string, tag: string, image: StoredImage): void {
    const repository = this.#repository(path);
    if (!this.#had.has(`${path}@${image.digest}`)) {
      for (const one of image.manifests) {
        this.#link(join(repository, "_manifests/revisions", slashed(one)), one);
      }
      for (const one of image.layers) this.#link(join(repository, "_layers", slashed(one)), one);
      this.#had.add(`${path}@${image.digest}`);
    }
    this.#link(join(repository, "_manifests/tags", tag, "current"), image.digest);
  }

  /** Puts everything that a repository has into another one, which is then the same. */
  copy(from: string, to: string): void {
    const at = this.#repository(to);
    mkdirSync(dirname(at), { recursive: true });
    symlinkSync(this.#repository(from), at);
  }

  untag(path: string, tag: string): void {
    rmSync(join(this.#repository(path), "_manifests/tags", tag), { recursive: true });
  }

  /** Takes a manifest away, as deleting it does; its tags are left alone. */
  forget(path: string, digest: string): void {
    const at = join(this.#repository(path), "_manifests/revisions", slashed(digest));
    rmSync(at, { recursive: true });
    this.#had.delete(`${path}@${digest}`);
  }

  remove(path: string): void {
    for (const one of this.#had) if (one.startsWith(`${path}@`)) this.#had.delete(one);
    rmSync(this.#repository(path), { recursive: true });
  }

  /** Removes every repository: a reconcile pass reads all that there are. */
  clear(): void {
    this.#had.clear();
    rmSync(join(this.#root, "repositories"), { recursive: true, force: true });
    mkdirSync(join(this.#root, "repositories"));
  }

  #index(images: readonly StoredImage[], manifests: readonly object[]): StoredImage {
    const index = { schemaVersion: 2, mediaType: INDEX, manifests };
    const { digest, size: manifestSize } = this.#blob(INDEX, index);
    return {
      digest,
      manifestSize,
      manifests: [digest, ...images.flatMap((one) => one.manifests)],
      layers: images.flatMap((one) => one.layers),
      size: 0,
    };
  }

  #repository(path: string): string {
    return join(this.#root, "repositories", path);
  }

  #link(folder: string, digest: string): void {
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, "link"), digest);
  }

  #blob(mediaType: string, content: Buffer | object): Blob {
    const body = Buffer.isBuffer(content) ? content : Buffer.from(JSON.stringify(content));
    const hex = hash("sha256", body, "hex");
    const file = join(this.#root, "blobs/sha256", hex.slice(0, 2), hex, "data");
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, body);
    return { mediaType, digest: `sha256:${hex}`, size: body.length };
  }
}

function slashed(digest: string): string {
  return digest.replace(":", "/");
}
