import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { digestOf, type Layer } from "./entry.ts";

const TYPES = {
  index: "application/vnd.oci.image.index.v1+json",
  manifest: "application/vnd.oci.image.manifest.v1+json",
  config: "application/vnd.oci.image.config.v1+json",
  layer: "application/vnd.oci.image.layer.v1.tar+gzip",
  empty: "application/vnd.oci.empty.v1+json",
} as const;

export interface Descriptor {
  readonly mediaType: string;
  readonly digest: string;
  readonly size: number;
}

export interface PlatformImage {
  /** As Go names it. */
  readonly architecture: string;
  readonly layers: readonly Layer[];
  /** The execution parameters, as the image specification and Docker define them. */
  readonly config: object;
}

export interface ImageOptions {
  readonly tag: string;
  readonly created: string;
  readonly annotations: Readonly<Record<string, string>>;
}

/** An image for several platforms. */
export interface Image {
  readonly index: Descriptor;
  /** In the order of the platforms. */
  readonly manifests: readonly Descriptor[];
}

export interface Referrer {
  /** The name in the layout, by which tools copy it. */
  readonly tag: string;
  /** The type of the artifact and of its content. */
  readonly type: string;
  readonly content: Buffer;
  readonly annotations: Readonly<Record<string, string>>;
}

/** A folder with images, as the OCI image layout defines it. */
export class OciLayout {
  readonly #folder: string;
  readonly #entries: object[] = [];

  /** Empties the folder. */
  constructor(folder: string) {
    this.#folder = folder;
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(join(folder, "blobs/sha256"), { recursive: true });
  }

  addImage(images: readonly PlatformImage[], { tag, created, annotations }: ImageOptions): Image {
    const manifests = images.map(({ architecture, layers, config }) => {
      const platform = { architecture, os: "linux" };
      const configDescriptor = this.#put(TYPES.config, {
        ...platform,
        created,
        config,
        rootfs: { type: "layers", diff_ids: layers.map(({ diffId }) => diffId) },
        history: layers.map(() => ({ created, created_by: "scripts/image" })),
      });
      const manifest = this.#put(TYPES.manifest, {
        schemaVersion: 2,
        mediaType: TYPES.manifest,
        config: configDescriptor,
        layers: layers.map(({ blob }) => this.#put(TYPES.layer, blob)),
        annotations,
      });
      return { ...manifest, platform };
    });
    const index = this.#put(TYPES.index, {
      schemaVersion: 2,
      mediaType: TYPES.index,
      manifests,
      annotations,
    });
    this.#name(index, tag);
    return { index, manifests: manifests.map(({ platform: _, ...one }) => one) };
  }

  /** Adds an artifact that refers to a manifest: registries list it among its referrers. */
  attach(subject: Descriptor, { tag, type, content, annotations }: Referrer): void {
    const manifest = this.#put(TYPES.manifest, {
      schemaVersion: 2,
      mediaType: TYPES.manifest,
      artifactType: type,
      config: this.#put(TYPES.empty, {}),
      layers: [this.#put(type, content)],
      subject,
      annotations,
    });
    this.#name({ ...manifest, artifactType: type }, tag);
  }

  /** Writes the files by which tools find the rest. */
  close(): void {
    const entry = { schemaVersion: 2, mediaType: TYPES.index, manifests: this.#entries };
    writeFileSync(join(this.#folder, "index.json"), JSON.stringify(entry));
    writeFileSync(
      join(this.#folder, "oci-layout"),
      JSON.stringify({ imageLayoutVersion: "1.0.0" }),
    );
  }

  #name(descriptor: object, tag: string): void {
    this.#entries.push({
      ...descriptor,
      annotations: { "org.opencontainers.image.ref.name": tag },
    });
  }

  #put(mediaType: string, content: Buffer | object): Descriptor {
    const bytes = Buffer.isBuffer(content) ? content : Buffer.from(JSON.stringify(content));
    const digest = digestOf(bytes);
    writeFileSync(join(this.#folder, "blobs", digest.replace(":", "/")), bytes);
    return { mediaType, digest, size: bytes.length };
  }
}
