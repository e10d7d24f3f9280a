import { InventorySource, InventoryState } from "@wharf/contract";
import type { Transaction } from "../../../db/commit/transaction.ts";
import type { Manifest } from "../../registry/manifests.ts";
import { imagesOfManifest, writeIndexImages } from "./image-indexes.ts";

/** Images whose packages were not read yet: rows that are written with the manifest. */

/** An image that was stored, or an artifact that looks like one until it is read. */
export interface NewImage {
  readonly repo: string;
  readonly digest: string;
  readonly architecture: string;
  readonly pushed: number;
}

/** Adds images that wait for their reading; those with a row keep it. */
export async function addWaiting(tx: Transaction, images: readonly NewImage[]): Promise<void> {
  if (images.length === 0) return;
  const { asInteger, tuples } = tx.dialect;
  const detail = { fingerprint: "", description: "", format: "", tool: "", generated: "" };
  await tx.run(
    `INSERT INTO exposure_images (repo, digest, platform, state, reason, source, document, detail, packages,
       without_purl, indexed, pushed, tags, tagged, untagged)
     SELECT repo, digest, platform, ${InventoryState.WAITING}, '', ${InventorySource.UNSPECIFIED}, '', ?, 0, 0, 0, ${asInteger("pushed")}, 0, 0, 0
     FROM (${tuples("repo", "digest", "platform", "pushed")}) given WHERE true
     ORDER BY repo, digest ON CONFLICT (repo, digest) DO NOTHING`,
    JSON.stringify({ ...detail, operatingSystem: "", documents: [], remarks: [] }),
    JSON.stringify(
      images.map(({ repo, digest, architecture, pushed }) => {
        return [repo, digest, platformFor(architecture), Number(pushed)];
      }),
    ),
  );
}

/** The platform of an image of which only the architecture is known: a text that people push. */
export function platformFor(architecture: string): string {
  if (architecture === "") return "";
  return `linux/${architecture}`.slice(0, 128).toWellFormed().replaceAll("\0", "");
}

/** Adds the image of a manifest, or those of an index, in the transaction that stores it: they wait from then on. */
export async function addImagesOf(
  tx: Transaction,
  repo: string,
  manifest: Omit<Manifest, "pulled">,
): Promise<void> {
  const { digest, kind, subject } = manifest;
  if (subject !== "") return;
  if (kind === "image") await addWaiting(tx, [{ ...manifest, repo }]);
  if (kind === "index") await writeIndexImages(tx, repo, digest, imagesOfManifest(manifest));
}
