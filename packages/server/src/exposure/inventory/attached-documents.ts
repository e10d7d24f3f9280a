import type { ImageManifest, ManifestDescriptor } from "@wharf/contract";
import { parseManifest } from "../../registry/images/image-manifest.ts";
import { predicateFormat } from "../sboms/predicate-type.ts";
import type { ImageContents } from "./image-contents.ts";

/** The way in which a document was found (ImageDocument.found_as). */
export type FoundAs = "referrer" | "attestation" | "cosign" | "upload";

/** A blob that is, or may contain, an SBOM or a VEX document about a manifest. */
export interface AttachedDocument {
  readonly digest: string;
  readonly mediaType: string;
  readonly size: number;
  readonly foundAs: FoundAs;
}

/** Media types of documents, and of attestations of which each may be one; some tools add parameters. */
const DOCUMENT_TYPES =
  /^(?:application|text)\/(?:spdx\+json|vnd\.cyclonedx\+json|(?:vnd\.)?openvex\+json|vnd\.openvex\.vex\+json|vnd\.in-toto\+json|vnd\.dsse\.envelope\.v1\+json|vnd\.dev\.sigstore\.bundle(?:\.v[0-9.]+)?\+json(?:;.*)?)$/;

/** Annotations of layers and manifests with the type of an in-toto predicate: of BuildKit, cosign and Sigstore bundles. */
const PREDICATE_TYPES = [
  "in-toto.io/predicate-type",
  "predicateType",
  "dev.sigstore.bundle.predicateType",
];

const BUILDKIT_TYPE = "vnd.docker.reference.type";
const BUILDKIT_DIGEST = "vnd.docker.reference.digest";

/** Suffixes of cosign's tags; `.sig` has signatures of the image alone. */
const COSIGN_SUFFIXES = ["att", "sbom"];

/** Manifests that are read for one image or index. */
const MAX_MANIFESTS = 400;

/** The documents that are attached to a manifest, in any of the ways of registries and tools. */
export async function attachedDocuments(
  contents: ImageContents,
  digest: string,
): Promise<AttachedDocument[]> {
  const attached = await attachedManifests(contents, digest, COSIGN_SUFFIXES);
  return attached.flatMap(({ manifest, foundAs }) => documentsIn(manifest, foundAs));
}

/** A manifest that is attached to another one. */
export interface AttachedManifest {
  /** With its digest, unless it was found by a tag of cosign. */
  readonly manifest: ImageManifest;
  readonly foundAs: FoundAs;
}

/** The manifests that are attached to a digest: its referrers, and those at tags of cosign with these suffixes. */
export async function attachedManifests(
  contents: ImageContents,
  digest: string,
  suffixes: readonly string[],
): Promise<AttachedManifest[]> {
  const referrers = await referrersOf(contents, digest);
  const found = await manifestsOf(contents, referrers, "referrer");
  for (const suffix of suffixes) {
    const bytes = await contents.manifest(`${tagOf(digest)}.${suffix}`);
    if (bytes !== undefined) found.push({ manifest: parseManifest(bytes), foundAs: "cosign" });
  }
  return found;
}

/** The attestations that an index has beside its images, as BuildKit writes them: those of one image. */
export async function indexedAttestations(
  contents: ImageContents,
  index: string,
  image: string,
): Promise<AttachedDocument[]> {
  const bytes = await contents.manifest(index);
  if (bytes === undefined) return [];
  const digests = parseManifest(bytes)
    .manifests.filter(
      ({ annotations }) =>
        annotations[BUILDKIT_TYPE] === "attestation-manifest" &&
        annotations[BUILDKIT_DIGEST] === image,
    )
    .map((one) => one.digest);
  const found = await manifestsOf(contents, digests, "attestation");
  return found.flatMap(({ manifest, foundAs }) => documentsIn(manifest, foundAs));
}

/** Attached manifests, by the registry's list of them, and by the tag that stands for it where registries have none. */
async function referrersOf(contents: ImageContents, digest: string): Promise<string[]> {
  const listed = await contents.referrers(digest);
  const fallback = await contents.manifest(tagOf(digest));
  const tagged = fallback === undefined ? [] : parseManifest(fallback).manifests;
  return [...new Set([...listed, ...tagged.map((one) => one.digest)])];
}

function tagOf(digest: string): string {
  return digest.replace(":", "-");
}

async function manifestsOf(
  contents: ImageContents,
  digests: readonly string[],
  foundAs: FoundAs,
): Promise<AttachedManifest[]> {
  const found: AttachedManifest[] = [];
  for (const digest of digests.filter(Boolean).slice(0, MAX_MANIFESTS)) {
    const bytes = await contents.manifest(digest);
    if (bytes === undefined) continue;
    found.push({ manifest: { ...parseManifest(bytes), digest }, foundAs });
  }
  return found;
}

/** The layers of a manifest that are documents, or whose attestations may be some. */
function documentsIn(manifest: ImageManifest, foundAs: FoundAs): AttachedDocument[] {
  return manifest.layers
    .filter((layer) => layer.digest !== "" && isDocument(layer, manifest))
    .map(({ digest, mediaType, size }) => ({ digest, mediaType, size: Number(size), foundAs }));
}

function isDocument(layer: ManifestDescriptor, manifest: ImageManifest): boolean {
  const type = DOCUMENT_TYPES.test(layer.mediaType) ? layer.mediaType : manifest.artifactType;
  if (!DOCUMENT_TYPES.test(type)) return false;
  const predicateType = PREDICATE_TYPES.map(
    (name) => layer.annotations[name] ?? manifest.annotations[name],
  ).find(Boolean);
  // Types of cosign's flags are short: such as `spdxjson`, which it expands in the attestation.
  const isNamed = predicateType?.startsWith("https://") ?? false;
  return !isNamed || predicateFormat(predicateType as string) !== undefined;
}
