import { create } from "@bufbuild/protobuf";
import {
  type GetSbomDocumentRequest,
  InventorySource,
  InventoryState,
  SbomDocumentSchema,
} from "@wharf/contract";
import type { ResourceStore } from "../../engine/catalog.ts";
import { failedPrecondition, notFound } from "../../lib/errors.ts";
import type { Handler } from "../../rpc/call.ts";
import { messageReply } from "../../rpc/reply.ts";
import type { Reader } from "../../store/db/connection.ts";
import { findImages, type StoredImage } from "../../store/tables/exposure/images/images.ts";
import { packagesOfImage } from "../../store/tables/exposure/packages/image-packages-list.ts";
import { findManifest } from "../../store/tables/registry/manifests.ts";
import type { ContentsDeps } from "../inventory/image-contents.ts";
import { readStoredSbom } from "../inventory/stored-sbom.ts";
import { DEFAULT_PLATFORM, imageFor } from "../platform.ts";
import { SBOM_LIMITS } from "../sboms/limits.ts";
import { cyclonedxOf } from "./cyclonedx.ts";
import { imagesOf } from "./image-inventory.ts";

/** The handler of GetSbomDocument. */
export function getSbomDocument(deps: ResourceStore & ContentsDeps): Handler {
  const { store } = deps;
  return async (call, message) => {
    const request = message as GetSbomDocumentRequest;
    const image = await findPlatform(store.readerFor(call), request);
    mustBeKnown(image);
    const isMade = request.format === "cyclonedx" || image.source === InventorySource.LAYERS;
    const document = isMade
      ? await madeDocument(store.readerFor(call), image)
      : await storedDocument(deps, image, call.signal);
    const response = create(SbomDocumentSchema, { ...document, digest: image.digest });
    return messageReply(SbomDocumentSchema, response);
  };
}

/** A document without packages would say that the image has none. */
function mustBeKnown({ digest, state, reason }: StoredImage): void {
  if (state === InventoryState.KNOWN) return;
  const description = `the packages are not known: ${reason || "they are being read"}`;
  throw failedPrecondition({ type: "PACKAGES_UNKNOWN", subject: digest, description });
}

/** The image, or the image of an index for a platform. */
async function findPlatform(
  reader: Reader,
  { repoUid, digest, platform }: Pick<GetSbomDocumentRequest, "repoUid" | "digest" | "platform">,
): Promise<StoredImage> {
  const manifest = await findManifest(reader, repoUid, digest);
  const digests = manifest === undefined ? [] : imagesOf(manifest).map((image) => image.digest);
  const images = await findImages(reader, repoUid, digests);
  const chosen = imageFor(images, platform);
  if (chosen !== undefined) return chosen;
  throw notFound("Image", `${repoUid}@${digest} for ${platform || DEFAULT_PLATFORM}`);
}

/** The document that the packages of an image are from, as it was uploaded or attached. */
async function storedDocument(
  deps: ResourceStore & ContentsDeps,
  image: StoredImage,
  signal: AbortSignal,
): Promise<{ mediaType: string; content: Uint8Array }> {
  const stored = await readStoredSbom(deps, image, signal);
  if (stored !== undefined) {
    return { mediaType: stored.detail.mediaType, content: stored.bytes };
  }
  throw failedPrecondition({
    type: "NO_SBOM",
    subject: image.digest,
    description: "the image has no SBOM that could be read",
  });
}

/** The packages of an image as CycloneDX. */
async function madeDocument(
  reader: Reader,
  image: StoredImage,
): Promise<{ mediaType: string; content: Uint8Array }> {
  const packages = await packagesOfImage(reader, image.id, {
    text: "",
    limit: SBOM_LIMITS.components,
  });
  const content = new TextEncoder().encode(JSON.stringify(cyclonedxOf(image, packages)));
  return { mediaType: "application/vnd.cyclonedx+json", content };
}
