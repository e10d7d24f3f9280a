/**
 * Writes advisories in the formats that scanners read: OSV, OpenVEX, CSAF and secdb. It is pure, so that the
 * same advisories give the same bytes; it may import ../package-url.ts, ../image-url.ts and ../read/ecosystems.ts.
 */

export { productKey } from "../image-url.ts";
export { type Assessment, assessmentOf, assessmentsOf, isPartialClearance } from "./assessment.ts";
export { csafDocument } from "./csaf.ts";
export { csafId, csafKeyPath, csafPath, packageOfCsafId } from "./csaf-file.ts";
export {
  type CsafEntry,
  csafChanges,
  csafIndexLine,
  csafProvider,
} from "./csaf-provider.ts";
export { CSAF_HASHES, CSAF_SIGNATURE, type CsafHash, rolieFeed, rolieName } from "./csaf-rolie.ts";
export { DISTRIBUTIONS } from "./distributions.ts";
export { byPackage, type PackageKey, packageOf } from "./names.ts";
export { openVexDocument } from "./openvex.ts";
export { laterEntry, type OsvEntry, osvDocument, osvEntry } from "./osv.ts";
export { affectedPackages } from "./osv-affected.ts";
export { osvFile, osvId, ownOsvId } from "./osv-id.ts";
export { publishedNames } from "./packages.ts";
export { publicJson, publicPart } from "./public-part.ts";
export type { Naming, Publication } from "./publication.ts";
export { isSameArtifact, isSameComponent } from "./same-artifact.ts";
export { secdbFile } from "./secdb.ts";
export { rfc3339, type Times, timesOf } from "./times.ts";
export { vexIndexEntries, vexManifest, vexPath } from "./vex-repository.ts";
