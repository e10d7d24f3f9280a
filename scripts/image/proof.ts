/** Attestations of an image as its referrers: SBOMs, provenance and signatures. */
import type { Platform } from "../release/node-runtimes.ts";
import { provenance, type Statement, type Subject, statement } from "../release/provenance.ts";
import { debianPackageUrl, sbom } from "../release/sbom.ts";
import { BUNDLE_TYPE, type Signer, STATEMENT_TYPE } from "../release/signing.ts";
import type { DebianPackage } from "./debian.ts";
import { digestOf } from "./entry.ts";
import type { Descriptor, Image, OciLayout } from "./oci-layout.ts";

const SBOM_TYPE = "application/spdx+json";

/** The type of statements that cosign reads as signatures of images. */
const IMAGE_SIGNATURE = "https://sigstore.dev/cosign/sign/v1";

/** The packages in the image for a platform. */
export interface Contents {
  /** As Go names it. */
  readonly architecture: string;
  readonly platform: Platform;
  readonly debian: readonly DebianPackage[];
}

export interface ProofOptions {
  readonly image: Image;
  readonly version: string;
  readonly created: string;
  /** In the order of the image's manifests. */
  readonly contents: readonly Contents[];
  readonly signer: Signer | undefined;
}

/** Attaches an SBOM to the index and each platform's manifest, and provenance and signature to the index. */
export function attachProof(
  layout: OciLayout,
  { image, version, created, contents, signer }: ProofOptions,
): void {
  const dated = { "org.opencontainers.image.created": created };
  const subjects: Subject[] = [];
  const debian = contents.flatMap((one) => one.debian);
  const attachSbom = (suffix: string, subject: Descriptor, text: string) => {
    const content = Buffer.from(text);
    const tag = `${version}-sbom${suffix}`;
    layout.attach(subject, { tag, type: SBOM_TYPE, content, annotations: dated });
    subjects.push(subjectOf(`image${suffix}`, subject.digest));
    subjects.push(subjectOf(`sbom${suffix}`, digestOf(content)));
  };
  const platforms = contents.map(({ platform }) => platform);
  attachSbom("", image.index, sbom({ platforms, debian: unique(debian) }));
  for (const [at, one] of contents.entries()) {
    const manifest = image.manifests[at] as Descriptor;
    attachSbom(`-${one.architecture}`, manifest, sbom({ ...one, platforms: [one.platform] }));
  }

  const attachStatement = (tag: string, made: Statement) => {
    const content = Buffer.from(JSON.stringify(signer?.statementBundle(made) ?? made));
    const annotations = signer
      ? {
          ...dated,
          "dev.sigstore.bundle.content": "dsse-envelope",
          "dev.sigstore.bundle.predicateType": made.predicateType,
        }
      : { ...dated, "in-toto.io/predicate-type": made.predicateType };
    const type = signer ? BUNDLE_TYPE : STATEMENT_TYPE;
    layout.attach(image.index, { tag: `${version}-${tag}`, type, content, annotations });
  };
  const packages = unique(debian).map(debianPackageUrl);
  const command = "npm run image";
  attachStatement("provenance", provenance({ command, subjects, packages }));
  if (signer !== undefined) {
    const [subject] = subjects as [Subject];
    attachStatement("signature", statement(IMAGE_SIGNATURE, [subject]));
  }
}

function subjectOf(name: string, digest: string): Subject {
  return { name, digest: { sha256: digest.replace("sha256:", "") } };
}

/** Packages without programs are the same on all platforms. */
function unique(packages: readonly DebianPackage[]): DebianPackage[] {
  return [...new Map(packages.map((one) => [debianPackageUrl(one), one])).values()];
}
