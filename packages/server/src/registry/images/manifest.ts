import type { Manifest, ManifestChild } from "../../store/tables/registry/manifests.ts";
import { type Json, list, object, text } from "../lenient-json.ts";

/** A parsed manifest. The architecture of an image is in its configuration. */
export interface ReadManifest extends Omit<Manifest, "digest" | "pushed" | "pulled"> {
  /** Whether the configuration is that of an image, and has the architecture. */
  readonly hasImageConfig: boolean;
}

/** Children of an index that are fetched and stored; of others, only the index's descriptor is stored. */
export const MAX_CHILDREN = 256;

const INDEXES = new Set([
  "application/vnd.oci.image.index.v1+json",
  "application/vnd.docker.distribution.manifest.list.v2+json",
]);

const IMAGE_CONFIGS = new Set([
  "application/vnd.oci.image.config.v1+json",
  "application/vnd.docker.container.image.v1+json",
]);

/** The media types of manifests. */
export const MANIFEST_TYPES: readonly string[] = [
  ...INDEXES,
  "application/vnd.oci.image.manifest.v1+json",
  "application/vnd.docker.distribution.manifest.v2+json",
  "application/vnd.docker.distribution.manifest.v1+prettyjws",
  "application/vnd.docker.distribution.manifest.v1+json",
];

const DIGEST = /^(sha256:[0-9a-f]{64}|sha512:[0-9a-f]{128})$/;

export function isDigest(text: unknown): text is string {
  return typeof text === "string" && DIGEST.test(text);
}

/** Parses a manifest. Malformed fields are treated as missing: the registry accepted the manifest. */
export function readManifest(bytes: Uint8Array, contentType: string): ReadManifest {
  const content = object(JSON.parse(Buffer.from(bytes).toString("utf8")));
  const mediaType = text(content.mediaType) || (contentType.split(";")[0] as string).trim();
  const subject = digestOf(content.subject);
  if (INDEXES.has(mediaType) || (Array.isArray(content.manifests) && !("config" in content))) {
    const children = list(content.manifests)
      .map(childOf)
      .filter((child) => child.digest !== "");
    const none = { architecture: "", size: 0, configDigest: "", hasImageConfig: false };
    return { ...none, mediaType, kind: "index", children, subject };
  }
  const config = object(content.config);
  const configDigest = digestOf(config);
  const hasImageConfig = IMAGE_CONFIGS.has(text(config.mediaType)) && configDigest !== "";
  // Docker schema 1 has the architecture in the manifest, and no sizes.
  const isSchema1 = Array.isArray(content.fsLayers);
  const blobs = [config, ...list(content.layers).map(object)];
  return {
    mediaType,
    kind: hasImageConfig || isSchema1 ? "image" : "other",
    architecture: isSchema1 ? text(content.architecture) : "",
    size: blobs.reduce((sum, blob) => sum + sizeOf(blob), 0),
    children: [],
    subject,
    configDigest,
    hasImageConfig,
  };
}

/** The architecture in an image configuration. */
export function architectureOf(config: Uint8Array): string {
  return text(object(JSON.parse(Buffer.from(config).toString("utf8"))).architecture);
}

function childOf(entry: unknown): ManifestChild {
  const platform = object(object(entry).platform);
  return { digest: digestOf(entry), architecture: text(platform.architecture) };
}

function digestOf(descriptor: unknown): string {
  const { digest } = object(descriptor);
  return isDigest(digest) ? digest : "";
}

function sizeOf({ size }: Json): number {
  return typeof size === "number" && Number.isSafeInteger(size) && size > 0 ? size : 0;
}
