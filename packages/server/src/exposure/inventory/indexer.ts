import { hash } from "node:crypto";
import { parseManifest } from "../../registry/images/image-manifest.ts";
import {
  imagesOfManifest,
  indexesOfImages,
  writeIndexImages,
} from "../../store/tables/exposure/images/image-indexes.ts";
import {
  findImage,
  findImages,
  type StoredImage,
} from "../../store/tables/exposure/images/images.ts";
import { platformFor } from "../../store/tables/exposure/images/waiting-images.ts";
import { imageWork, targetOf } from "../../store/tables/exposure/work/image-work.ts";
import { finishWork, requestWork, type Work } from "../../store/tables/exposure/work/work.ts";
import { findManifest, type Manifest } from "../../store/tables/registry/manifests.ts";
import type { NamingDeps } from "../../vulnerabilities/naming.ts";
import { assessImages } from "../assessment/assess-images.ts";
import type { LayerReader } from "../layers/read-layers.ts";
import { SBOM_LIMITS } from "../sboms/limits.ts";
import type { WriteResult } from "../work/concurrent-reads.ts";
import type { DocumentReader } from "./document-reader.ts";
import { deleteWithPackages, forgetManifest } from "./forget.ts";
import { type ContentsDeps, type ImageContents, openContents } from "./image-contents.ts";
import { detailOf } from "./image-detail.ts";
import { type FoundDocuments, imageDocuments } from "./image-documents.ts";
import { isImage, platformOf } from "./image-kind.ts";
import { readInventory, unavailable } from "./read-inventory.ts";
import { readLayerPackages } from "./read-layer-packages.ts";
import { type ImageResult, keyedPackages, storeImage, storeVersions } from "./store-inventory.ts";
import { updateTagging } from "./tags.ts";

/** Part of the fingerprint: a reader that reads more reads all documents again. */
const READER_VERSION = 1;

export interface IndexerDeps extends ContentsDeps, NamingDeps {
  readonly documents: DocumentReader;
  readonly layers: LayerReader;
}

/**
 * Work `image`: reads the packages of an image, and returns what stores them. Of an index, that requests this for its
 * images. What is no image, such as an attached document, is none of this: its subject was requested.
 */
export async function readImage(
  deps: IndexerDeps,
  work: Work,
  signal: AbortSignal,
): Promise<WriteResult> {
  const { store } = deps;
  const { repo, digest } = targetOf(work);
  const manifest = await findManifest(store.reader, repo, digest);
  if (manifest?.kind === "index") return () => storeIndex(deps, work, repo, manifest);
  if (manifest?.kind === "image" && manifest.subject === "") {
    return readContents(deps, work, repo, manifest, signal);
  }
  return () =>
    store.write(async (tx) => {
      await forgetManifest(tx, repo, digest);
      await finishWork(tx, work);
    });
}

async function storeIndex(
  { store }: IndexerDeps,
  work: Work,
  repo: string,
  manifest: Manifest,
): Promise<void> {
  const digests = imagesOfManifest(manifest);
  const requests = digests.map((image) => ({ ...imageWork(repo, image), due: work.due }));
  await store.write(async (tx) => {
    await writeIndexImages(tx, repo, manifest.digest, digests);
    await updateTagging(tx, await findImages(tx, repo, digests));
    await requestWork(tx, requests);
    await finishWork(tx, work);
  });
}

async function readContents(
  deps: IndexerDeps,
  work: Work,
  repo: string,
  manifest: Manifest,
  signal: AbortSignal,
): Promise<WriteResult> {
  const { store } = deps;
  const { reader } = store;
  const { digest, pushed } = manifest;
  const indexes = (await indexesOfImages(reader, repo, [digest])).map(({ index }) => index);
  const contents = await openContents(deps, repo, digest, signal);
  const bytes = await contents?.manifest(digest);
  if (contents === undefined || bytes === undefined) {
    return () => storeResult(deps, work, missing(repo, manifest));
  }
  const content = parseManifest(bytes);
  if (!isImage(content)) return () => forgetArtifact(deps, work, repo, digest);
  const identity = { repo, digest, indexes };
  const found = await imageDocuments(reader, contents, identity, SBOM_LIMITS.bytes);
  const fingerprint = fingerprintOf(contents, indexes, found);
  const stored = await findImage(reader, repo, digest);
  if (isRead(stored, fingerprint)) return () => confirm(deps, work, repo, digest);
  const attempt = { attempts: work.attempts, signal };
  const inventory = await readInventory(deps.documents, found, [digest, ...indexes], () =>
    readLayerPackages(deps.layers, contents, content, attempt),
  );
  const platform = await platformOf(contents, content, manifest.architecture);
  const result = { repo, digest, platform, pushed, fingerprint, inventory };
  return () => storeResult(deps, work, result);
}

/** Signatures and other artifacts look like images until their manifest is read. */
async function forgetArtifact(
  { store }: IndexerDeps,
  work: Work,
  repo: string,
  digest: string,
): Promise<void> {
  await store.write(async (tx) => {
    await deleteWithPackages(tx, await findImages(tx, repo, [digest]));
    await finishWork(tx, work);
  });
}

/** Stores an image, unless its manifest was deleted meanwhile. */
async function storeResult(deps: IndexerDeps, work: Work, result: ImageResult): Promise<void> {
  const { store } = deps;
  const { repo, digest, inventory } = result;
  const packages = keyedPackages(inventory.packages);
  await storeVersions(store, packages);
  await store.write(async (tx) => {
    if ((await findManifest(tx, repo, digest)) === undefined) {
      await forgetManifest(tx, repo, digest);
    } else {
      const id = await storeImage(tx, result, packages);
      await updateTagging(tx, await findImages(tx, repo, [digest]));
      await assessImages(deps, tx, [id]);
    }
    await finishWork(tx, work);
  });
}

/** The documents are those that were read: only tags may differ, as an index may be new. */
async function confirm(
  { store }: IndexerDeps,
  work: Work,
  repo: string,
  digest: string,
): Promise<void> {
  await store.write(async (tx) => {
    await updateTagging(tx, await findImages(tx, repo, [digest]));
    await finishWork(tx, work);
  });
}

function isRead(stored: StoredImage | undefined, fingerprint: string): boolean {
  return stored !== undefined && stored.indexed > 0 && detailOf(stored).fingerprint === fingerprint;
}

/** Identifies all that decides on what is read: the files and the digests that attestations may be about. */
function fingerprintOf(
  contents: ImageContents,
  indexes: readonly string[],
  { documents }: FoundDocuments,
): string {
  const files = documents.map(({ digest, target, level }) => [digest, target, level]);
  const read = [READER_VERSION, contents.layer !== undefined, indexes, files];
  return hash("sha256", JSON.stringify(read), "base64url");
}

/** The result for an image that no registry has: a deletion may be reported later. */
function missing(repo: string, { digest, pushed, architecture }: Manifest): ImageResult {
  const platform = platformFor(architecture);
  return { repo, digest, platform, pushed, fingerprint: "", inventory: unavailable() };
}
