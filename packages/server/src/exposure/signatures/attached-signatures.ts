import type { ManifestDescriptor } from "@wharf/contract";
import type { SignatureForm } from "../../store/tables/registry/signatures.ts";
import { type AttachedManifest, attachedManifests } from "../inventory/attached-documents.ts";
import type { ImageContents } from "../inventory/image-contents.ts";

/** A blob with a signature, or whose signature is in its annotations. */
export interface AttachedSignature {
  readonly form: SignatureForm;
  /** The digest of the attached manifest; empty if it was found by a tag. */
  readonly manifest: string;
  readonly document: string;
  readonly size: number;
  readonly annotations: Readonly<Record<string, string>>;
}

/** Forms by the media types of blobs; some tools add parameters. */
const FORMS: readonly (readonly [SignatureForm, RegExp])[] = [
  ["bundle", /^application\/vnd\.dev\.sigstore\.bundle(?:\.v[0-9.]+)?\+json(?:;.*)?$/],
  ["simple", /^application\/vnd\.dev\.cosign\.simplesigning\.v1\+json$/],
  ["envelope", /^application\/vnd\.dsse\.envelope\.v1\+json$/],
];

const NOTARY = "application/vnd.cncf.notary.signature";

/** Suffixes of cosign's tags with signatures. */
const SUFFIXES = ["sig", "att"];

/** Signatures that are listed for one manifest, as the contract says. */
const MAX_SIGNATURES = 64;

/** The signatures that are attached to a manifest; those of the manifest itself before attestations. */
export async function attachedSignatures(
  contents: ImageContents,
  digest: string,
): Promise<AttachedSignature[]> {
  const found = (await attachedManifests(contents, digest, SUFFIXES)).flatMap(signaturesIn);
  const isAttestation = ({ form }: AttachedSignature) => Number(form === "envelope");
  const seen = new Set<string>();
  return (
    found
      .sort((a, b) => isAttestation(a) - isAttestation(b))
      // Of one payload there are several signatures, which differ in annotations.
      .filter((one) => isNew(seen, JSON.stringify([one.document, one.annotations])))
      .slice(0, MAX_SIGNATURES)
  );
}

function isNew(seen: Set<string>, key: string): boolean {
  return !seen.has(key) && seen.add(key) !== undefined;
}

function signaturesIn({ manifest }: AttachedManifest): AttachedSignature[] {
  const { artifactType, layers } = manifest;
  return layers.flatMap((layer) => {
    const form = artifactType === NOTARY ? "notary" : formOf(layer, artifactType);
    if (form === undefined || layer.digest === "") return [];
    const { digest: document, annotations, size } = layer;
    return [{ form, manifest: manifest.digest, document, size: Number(size), annotations }];
  });
}

function formOf({ mediaType }: ManifestDescriptor, artifactType: string) {
  const of = (type: string) => FORMS.find(([, pattern]) => pattern.test(type))?.[0];
  return of(mediaType) ?? of(artifactType);
}
