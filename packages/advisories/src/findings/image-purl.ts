import type { FindingJson } from "@wharf/contract/messages";
import type { DocumentOrigin } from "./document.ts";

/**
 * The package URL of the image of a finding: its digest is its version, as for all OCI packages, and its qualifiers are
 * in the order of their names.
 *
 * @example imagePurl(finding, origin) // "pkg:oci/api@sha256%3A…?arch=arm64&repository_url=registry.example.com%2Facme%2Fapi"
 */
export function imagePurl(
  { repoPath = "", digest = "", platform = "" }: FindingJson,
  { registry }: DocumentOrigin,
): string {
  const name = repoPath.slice(repoPath.lastIndexOf("/") + 1);
  const architecture = platform.split("/")[1];
  const arch = architecture ? `arch=${encodeURIComponent(architecture)}&` : "";
  const url = encodeURIComponent(`${registry}/${repoPath}`);
  return `pkg:oci/${encodeURIComponent(name)}@${encodeURIComponent(digest)}?${arch}repository_url=${url}`;
}

/** The platform that most images are for; those of others are named with theirs. */
const DEFAULT_PLATFORM = "linux/amd64";

/** The name of the image of a finding: its repository with its first tag, or its digest. */
export function imageName({ repoPath, tags = [], digest, platform }: FindingJson): string {
  const name = tags[0] === undefined ? `${repoPath}@${digest}` : `${repoPath}:${tags[0]}`;
  return platform && platform !== DEFAULT_PLATFORM ? `${name} (${platform})` : name;
}
