import { promisify } from "node:util";
import { notFound } from "../../lib/errors.ts";
import { zlib } from "../../lib/runtime/lazy-builtins.ts";
import { readDocument } from "../../store/tables/exposure/images/documents.ts";
import type { StoredImage } from "../../store/tables/exposure/images/images.ts";
import { SBOM_LIMITS } from "../sboms/limits.ts";
import { type ContentsDeps, openContents } from "./image-contents.ts";
import { type DocumentDetail, detailOf } from "./image-detail.ts";

/** A file with the SBOM of an image, as it was attached or uploaded. */
export interface StoredSbom {
  readonly detail: DocumentDetail;
  readonly bytes: Uint8Array;
}

/** Reads the SBOM that the packages of an image are from; undefined if they were read from its layers. */
export async function readStoredSbom(
  deps: ContentsDeps,
  image: StoredImage,
  signal: AbortSignal,
): Promise<StoredSbom | undefined> {
  const { repo, digest, document } = image;
  if (document === "") return undefined;
  const all = detailOf(image).documents;
  const detail = all.find((one) => one.used && one.digest === document && one.kind === "sbom");
  const bytes = detail && (await bytesOf(deps, repo, digest, detail, signal));
  if (detail === undefined || bytes === undefined) throw notFound("SBOM", `${repo}@${digest}`);
  return { detail, bytes };
}

async function bytesOf(
  deps: ContentsDeps,
  repo: string,
  digest: string,
  { level, target, digest: document }: DocumentDetail,
  signal: AbortSignal,
): Promise<Uint8Array | undefined> {
  if (level === "upload") {
    const stored = await readDocument(deps.store.reader, repo, target, "sbom");
    if (stored?.document !== document) return undefined;
    const options = { maxOutputLength: SBOM_LIMITS.bytes };
    return promisify(zlib().gunzip)(stored.content, options);
  }
  const contents = await openContents(deps, repo, digest, signal);
  return contents?.blob(document, SBOM_LIMITS.bytes);
}
