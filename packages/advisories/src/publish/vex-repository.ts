import type { JsonObject } from "@bufbuild/protobuf";
import type { Advisory } from "@wharf/contract/messages";
import { unversioned } from "./assessed-packages.ts";
import { assessmentsOf } from "./assessment.ts";
import { type PackageKey, packageOf } from "./names.ts";
import { productUrls } from "./packages.ts";
import type { Publication } from "./publication.ts";

/** The version of the VEX Repository Specification; scanners skip all others. */
const SPEC_VERSION = "0.1";

/**
 * The manifest of a VEX repository, by which scanners find the archive of all VEX documents.
 *
 * @example vexManifest(publication).name // "acme"
 */
export function vexManifest({ publisher, url }: Publication): JsonObject {
  return {
    name: publisher,
    description: `VEX documents of ${publisher}`,
    versions: [
      {
        spec_version: SPEC_VERSION,
        locations: [{ url: `${url}/openvex/all.zip` }],
        update_interval: "24h",
      },
    ],
  };
}

/**
 * The path of a package's VEX document, below the feed's openvex folder and within its archive.
 *
 * @example vexPath({ type: "apk", name: "openssl" }) // "pkg/apk/openssl/vex.json"
 */
export function vexPath({ type, name }: PackageKey): string {
  return `pkg/${segment(type)}/${segment(name)}/vex.json`;
}

/** Escapes dot segments, which would be path traversal in an archive. */
function segment(text: string): string {
  return /^\.{1,2}$/.test(text) ? text.replaceAll(".", "%2E") : encodeURIComponent(text);
}

/**
 * The entries of the archive's index for the advisories of one package.
 *
 * @example vexIndexEntries(advisories, publication) // [{ id: "pkg:apk/wolfi/openssl", location: "pkg/apk/…" }]
 */
export function vexIndexEntries(
  advisories: readonly [Advisory, ...Advisory[]],
  publication: Publication,
): JsonObject[] {
  const location = vexPath(packageOf(advisories[0]));
  const purls = new Set(
    advisories.flatMap((advisory) =>
      assessmentsOf(advisory)
        .flatMap((assessment) => productUrls(advisory, assessment, publication))
        .map(({ purl }) => unversioned(purl)),
    ),
  );
  return [...purls].sort().map((id) => ({ id, location, format: "openvex" }));
}
