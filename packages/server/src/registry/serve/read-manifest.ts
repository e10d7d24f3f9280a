import { hash } from "node:crypto";
import { RegistryFault } from "../access/errors.ts";
import { isDigest, type ReadManifest, readManifest } from "../images/manifest.ts";
import { list, object, parseJson, text } from "../lenient-json.ts";

/** A descriptor in a manifest: the digest and size of a blob or of another manifest. */
export interface Reference {
  readonly digest: string;
  /** Undefined if the manifest does not give it. */
  readonly size: number | undefined;
}

/** A manifest as it was pushed. */
export interface PushedManifest extends ReadManifest {
  readonly digest: string;
  /** The configuration and layers that must be in the repository. */
  readonly blobs: readonly Reference[];
  /** The manifests of an index, which must be there, too. */
  readonly manifests: readonly Reference[];
  /** Layers that need not be there, but stay if they are. */
  readonly optional: readonly string[];
}

/** Layers that most clients do not push, because their license forbids it. */
const FOREIGN = /foreign|nondistributable/;

const MAX_REFERENCES = 10_000;

/** Browsers run none of these. */
const MEDIA_TYPE = /^application\/[\w.+-]*(?:json|prettyjws)$/;

/** Reads what a client has pushed. Throws for anything that is no manifest, or has another digest or media type. */
export function readPushedManifest(
  bytes: Buffer,
  contentType: string,
  reference: string,
): PushedManifest {
  const digest = digestOf(bytes, isDigest(reference) ? reference : "sha256:");
  if (isDigest(reference) && digest !== reference) {
    throw new RegistryFault("DIGEST_INVALID", `the manifest has the digest ${digest}`);
  }
  const content = parseJson(bytes);
  if (typeof content !== "object" || content === null || Array.isArray(content)) {
    throw invalid("the manifest is not a JSON object");
  }
  const sent = contentType.split(";", 1)[0]?.trim().toLowerCase() ?? "";
  const stated = text(object(content).mediaType);
  if (stated !== "" && sent !== "" && sent !== stated.toLowerCase()) {
    throw invalid(`its mediaType is ${stated}, but Content-Type ${sent}`);
  }
  if (!MEDIA_TYPE.test(stated || sent)) throw invalid("Content-Type must be that of a manifest");
  const manifest = readManifest(bytes, contentType);
  const { config, layers, fsLayers, blobs: artifacts, manifests } = object(content);
  const descriptors = [
    ...(config === undefined ? [] : [config]),
    ...list(layers),
    // Docker schema 1.
    ...list(fsLayers).map((one) => ({ digest: object(one).blobSum })),
    ...list(artifacts),
  ];
  const isForeign = (one: unknown) => FOREIGN.test(text(object(one).mediaType));
  const blobs = descriptors.filter((one) => !isForeign(one));
  const children = list(manifests);
  if (descriptors.length + children.length > MAX_REFERENCES) {
    throw invalid(`it refers to more than ${MAX_REFERENCES} blobs and manifests`);
  }
  const references = { blobs: blobs.map(referenceOf), manifests: children.map(referenceOf) };
  const optional = descriptors.filter(isForeign).map((one) => text(object(one).digest));
  return { ...manifest, digest, ...references, optional: optional.filter(isDigest) };
}

function referenceOf(descriptor: unknown): Reference {
  const { digest, size } = object(descriptor);
  if (isDigest(digest)) return { digest, size: typeof size === "number" ? size : undefined };
  throw invalid("a descriptor has no valid digest");
}

function invalid(reason: string): RegistryFault {
  return new RegistryFault("MANIFEST_INVALID", reason);
}

function digestOf(bytes: Buffer, like: string): string {
  const [algorithm = ""] = like.split(":");
  return `${algorithm}:${hash(algorithm, bytes, "hex")}`;
}
