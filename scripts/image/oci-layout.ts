import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { digestOf, type Layer } from "./entry.ts";

const TYPES = {
  index: "application/vnd.oci.image.index.v1+json",
  manifest: "application/vnd.oci.image.manifest.v1+json",
  config: "application/vnd.oci.image.config.v1+json",
  layer: "application/vnd.oci.image.layer.v1.tar+gzip",
} as const;

interface Descriptor {
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

/** Writes an image for several platforms as an OCI image layout. */
export function writeLayout(
  folder: string,
  images: readonly PlatformImage[],
  { tag, created, annotations }: ImageOptions,
): void {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(join(folder, "blobs/sha256"), { recursive: true });
  const put = (mediaType: string, content: Buffer | object): Descriptor => {
    const bytes = Buffer.isBuffer(content) ? content : Buffer.from(JSON.stringify(content));
    const digest = digestOf(bytes);
    writeFileSync(join(folder, "blobs", digest.replace(":", "/")), bytes);
    return { mediaType, digest, size: bytes.length };
  };
  const manifests = images.map(({ architecture, layers, config }) => {
    const platform = { architecture, os: "linux" };
    const configDescriptor = put(TYPES.config, {
      ...platform,
      created,
      config,
      rootfs: { type: "layers", diff_ids: layers.map(({ diffId }) => diffId) },
      history: layers.map(() => ({ created, created_by: "scripts/image" })),
    });
    const manifest = put(TYPES.manifest, {
      schemaVersion: 2,
      mediaType: TYPES.manifest,
      config: configDescriptor,
      layers: layers.map(({ blob }) => put(TYPES.layer, blob)),
      annotations,
    });
    return { ...manifest, platform };
  });
  const index = put(TYPES.index, {
    schemaVersion: 2,
    mediaType: TYPES.index,
    manifests,
    annotations,
  });
  const named = { ...index, annotations: { "org.opencontainers.image.ref.name": tag } };
  const entry = { schemaVersion: 2, mediaType: TYPES.index, manifests: [named] };
  writeFileSync(join(folder, "index.json"), JSON.stringify(entry));
  writeFileSync(join(folder, "oci-layout"), JSON.stringify({ imageLayoutVersion: "1.0.0" }));
}
