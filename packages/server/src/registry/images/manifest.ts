import type { Manifest, ManifestChild } from "../../store/tables/manifests.ts";

/** What a manifest says of itself; the architecture of an image is in its configuration. */
export interface ReadManifest extends Omit<Manifest, "digest" | "pushed" | "pulled"> {
  /** Whether the configuration tells the architecture. */
  readonly hasImageConfig: boolean;
}

/** Children of an index that are fetched and stored; of others, only what the index says is known. */
export const MAX_CHILDREN = 256;

const INDEXES = new Set([
  "application/vnd.oci.image.index.v1+json",
  "application/vnd.docker.distribution.manifest.list.v2+json",
]);

const IMAGE_CONFIGS = new Set([
  "application/vnd.oci.image.config.v1+json",
  "application/vnd.docker.container.image.v1+json",
]);

/** Everything that a registry may have under `manifests`. */
export const MANIFEST_TYPES: readonly string[] = [
  ...INDEXES,
  "application/vnd.oci.image.manifest.v1+json",
  "application/vnd.docker.distribution.manifest.v2+json",
  "application/vnd.docker.distribution.manifest.v1+prettyjws",
  "application/vnd.docker.distribution.manifest.v1+json",
];

const DIGEST = /^(sha256:[0-9a-f]{64}|sha512:[0-9a-f]{128})$/;

/** @example isDigest("sha256:…") */
export function isDigest(text: unknown): text is string {
  return typeof text === "string" && DIGEST.test(text);
}

type Json = Readonly<Record<string, unknown>>;

/**
 * Reads a manifest. What is missing or malformed in it is taken as not said: it is what somebody
 * pushed, and the registry took it.
 *
 * @example const { kind, children } = readManifest(bytes, "application/vnd.oci.image.index.v1+json");
 */
export function readManifest(bytes: Uint8Array, contentType: string): ReadManifest {
  const content = object(JSON.parse(Buffer.from(bytes).toString("utf8")));
  const mediaType = text(content.mediaType) || (contentType.split(";")[0] as string).trim();
  const subject = digestOf(content.subject);
  if (INDEXES.has(mediaType) || (Array.isArray(content.manifests) && !("config" in content))) {
    const children = list(content.manifests)
      .map(childOf)
      .filter((child) => child.digest !== "");
    const of = { architecture: "", size: 0, configDigest: "", hasImageConfig: false };
    return { ...of, mediaType, kind: "index", children, subject };
  }
  const config = object(content.config);
  const configDigest = digestOf(config);
  const hasImageConfig = IMAGE_CONFIGS.has(text(config.mediaType)) && configDigest !== "";
  // Docker's first manifests had the architecture in them, and no sizes.
  const isOld = Array.isArray(content.fsLayers);
  const parts = [config, ...list(content.layers).map(object)];
  return {
    mediaType,
    kind: hasImageConfig || isOld ? "image" : "other",
    architecture: isOld ? text(content.architecture) : "",
    size: parts.reduce((sum, part) => sum + sizeOf(part), 0),
    children: [],
    subject,
    configDigest,
    hasImageConfig,
  };
}

/** The architecture that the configuration of an image names. */
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

function object(value: unknown): Json {
  return typeof value === "object" && value !== null ? (value as Json) : {};
}

function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function text(value: unknown): string {
  return typeof value === "string" ? value : "";
}
