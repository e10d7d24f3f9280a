import { create } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import {
  type GetImageInventoryRequest,
  ImageDocumentSchema,
  type ImageInventory,
  ImageInventorySchema,
  InventoryState,
  type PlatformInventory,
  PlatformInventorySchema,
} from "@wharf/contract";
import type { ResourceStore } from "../../engine/catalog.ts";
import { notFound } from "../../lib/errors.ts";
import { type Handler, onlyReads } from "../../rpc/call.ts";
import { messageReply } from "../../rpc/reply.ts";
import type { Reader } from "../../store/db/connection.ts";
import {
  findImage,
  findImages,
  type StoredImage,
  type Tagging,
} from "../../store/tables/exposure/images/images.ts";
import { platformFor } from "../../store/tables/exposure/images/waiting-images.ts";
import {
  findManifest,
  knownDigests,
  type Manifest,
} from "../../store/tables/registry/manifests.ts";
import { type DocumentDetail, detailOf } from "../inventory/image-detail.ts";
import { unavailable } from "../inventory/read-inventory.ts";

/** The handler of GetImageInventory. */
export function getImageInventory({ store }: ResourceStore): Handler {
  return onlyReads(async (call, message) => {
    const { repoUid, digest } = message as GetImageInventoryRequest;
    const inventory = await readImageInventory(store.readerFor(call), repoUid, digest);
    return messageReply(ImageInventorySchema, inventory);
  });
}

/** The inventory of an image, or of each image of an index. */
export async function readImageInventory(
  reader: Reader,
  repo: string,
  digest: string,
): Promise<ImageInventory> {
  const manifest = await findImageOrIndex(reader, repo, digest);
  const images = imagesOf(manifest);
  const digests = images.map((one) => one.digest);
  const stored = new Map(
    (await findImages(reader, repo, digests)).map((image) => [image.digest, image]),
  );
  const absent = digests.filter((one) => !stored.has(one));
  const existing = await knownDigests(reader, repo, absent);
  const platforms = images.flatMap((image) => {
    const found = stored.get(image.digest);
    if (found !== undefined) return toInventory(found);
    return existing.has(image.digest) ? [] : missing(image);
  });
  return create(ImageInventorySchema, { platforms });
}

/**
 * The manifest of an image or an index: what is attached to others, such as an SBOM, is neither, nor are artifacts that
 * look like images, which have no row once they were read.
 */
export async function findImageOrIndex(
  reader: Reader,
  repo: string,
  digest: string,
): Promise<Manifest> {
  const manifest = await findManifest(reader, repo, digest);
  const none = () => notFound("Image", `${repo}@${digest}`);
  if (manifest === undefined || manifest.kind === "other" || manifest.subject !== "") throw none();
  const isIndex = manifest.kind === "index";
  if (!isIndex && (await findImage(reader, repo, digest)) === undefined) throw none();
  return manifest;
}

/** The manifest itself, or the images of an index. Attestations of BuildKit are children of an unknown platform. */
export function imagesOf(manifest: Manifest): { digest: string; architecture: string }[] {
  if (manifest.kind === "image") return [manifest];
  return manifest.children.filter(({ architecture }) => architecture !== "unknown");
}

/** An image that an index lists, but that was not pushed with it. */
function missing({ digest, architecture }: { digest: string; architecture: string }) {
  const { reason, detail } = unavailable();
  return create(PlatformInventorySchema, {
    ...{ digest, platform: platformFor(architecture), state: InventoryState.REFUSED },
    ...{ reason, description: detail.description },
  });
}

export function toInventory(
  image: Omit<StoredImage, "document" | keyof Tagging>,
): PlatformInventory {
  const { digest, platform, state, reason, source, packages, withoutPurl, indexed } = image;
  const detail = detailOf(image);
  const { description, format, tool, operatingSystem, generated } = detail;
  const written = Date.parse(generated);
  return create(PlatformInventorySchema, {
    ...{ digest, platform, state, reason, description, source, format, tool, packages },
    ...(!Number.isNaN(written) && { generateTime: timestampFromMs(written) }),
    ...(indexed > 0 && { indexTime: timestampFromMs(indexed) }),
    componentsWithoutPurl: withoutPurl,
    operatingSystem,
    documents: detail.documents.map(toDocument),
    remarks: [...detail.remarks],
  });
}

function toDocument({ digest, kind, foundAs, format, used, refusal, description }: DocumentDetail) {
  return create(ImageDocumentSchema, { digest, kind, foundAs, format, used, refusal, description });
}
