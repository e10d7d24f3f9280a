import type { Transaction } from "../../../db/commit/transaction.ts";
import { requestWork, type Work, type WorkRequest } from "./work.ts";

/** Work about images and their tags, by repo and digest. */

/** The manifest, or the whole repo, that an item of work is about. */
export interface WorkTarget {
  readonly repo: string;
  /** Empty for all manifests of the repo. */
  readonly digest: string;
}

export function targetOf({ key }: Pick<Work, "key">): WorkTarget {
  const [repo = "", digest = ""] = key.split(" ");
  return { repo, digest };
}

/** Reads the packages of an image, or those of the images of an index. */
export function imageWork(repo: string, digest: string): WorkRequest {
  return { kind: "image", key: `${repo} ${digest}` };
}

/** Counts the tags of an image, or of the images of an index; of all images of the repo without a digest. */
export function tagWork(repo: string, digest = ""): WorkRequest {
  return { kind: "tags", key: keyOf(repo, digest) };
}

/** Removes what is stored of a manifest, or of all manifests of a repo, that are deleted. */
export function forgetWork(repo: string, digest = ""): WorkRequest {
  return { kind: "forget", key: keyOf(repo, digest) };
}

function keyOf(repo: string, digest: string): string {
  return digest === "" ? repo : `${repo} ${digest}`;
}

/** Verifies what is attached to a manifest as a signature. */
export function signatureWork(repo: string, digest: string): WorkRequest {
  return { kind: "signatures", key: `${repo} ${digest}` };
}

/** Tags that attach documents to a digest: of cosign, and the index of referrers where a registry has no API for them. */
const ATTACHING_TAG =
  /^(sha256)-([0-9a-f]{64})(?:\.(?:att|sbom|sig|vex))?$|^(sha512)-([0-9a-f]{128})$/;

/** The digest to which the name of a tag attaches documents; undefined for all other tags. */
export function attachedTo(tag: string): string | undefined {
  const [, ...parts] = ATTACHING_TAG.exec(tag) ?? [];
  const [algorithm, hex] = parts.filter((part) => part !== undefined);
  return algorithm === undefined ? undefined : `${algorithm}:${hex}`;
}

/** Requests the work that follows from a tag that is created, moved or removed: from and to these digests. */
export async function requestTagWork(
  tx: Transaction,
  repo: string,
  tag: string,
  digests: readonly string[],
): Promise<void> {
  const subject = attachedTo(tag);
  const changed = digests.filter(Boolean).map((digest) => tagWork(repo, digest));
  await requestWork(tx, subject === undefined ? changed : attachedWork(repo, tag, subject));
}

/** Signatures are no documents about packages, and SBOMs without attestation have no signature. */
function attachedWork(repo: string, tag: string, subject: string): WorkRequest[] {
  return [
    ...(tag.endsWith(".sig") ? [] : [imageWork(repo, subject)]),
    ...(/\.(?:sbom|vex)$/.test(tag) ? [] : [signatureWork(repo, subject)]),
  ];
}
