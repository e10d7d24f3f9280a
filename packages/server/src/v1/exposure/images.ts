import { InventoryState } from "@wharf/contract";
import { OPEN_STATUSES } from "../../exposure/assessment/finding.ts";
import { onlyRepo } from "../../exposure/findings/scope.ts";
import { detailOf } from "../../exposure/inventory/image-detail.ts";
import { failedPrecondition, notFound } from "../../lib/errors.ts";
import type { Reader } from "../../store/db/connection.ts";
import {
  type FindingRow,
  readFindings,
} from "../../store/tables/exposure/findings/finding-list.ts";
import { findImage, type StoredImage } from "../../store/tables/exposure/images/images.ts";
import type { RepoInterval } from "../../store/tables/exposure/images/visible-images.ts";
import {
  type ImageRow,
  visibleImagesOf,
} from "../../store/tables/exposure/packages/image-packages-list.ts";

const DEFAULT_ARCHITECTURE = "amd64";

/** Findings of one image that a report has: several times the most that base images of any distribution have. */
export const MAX_FINDINGS = 50_000;

/** The image with a digest; of an index, the one for an architecture. Undefined if it is not known. */
export async function imageFor(
  reader: Reader,
  repo: string,
  digest: string,
  architecture = "",
): Promise<ImageRow | undefined> {
  const images = await visibleImagesOf(reader, onlyRepo(repo), repo, digest);
  const own = images.find((one) => one.digest === digest);
  if (own !== undefined) return own;
  const requestedArchitecture = architecture || DEFAULT_ARCHITECTURE;
  const named = images.find(({ platform }) => platform.split("/")[1] === requestedArchitecture);
  return named ?? (architecture === "" && images.length === 1 ? images[0] : undefined);
}

/** The same, if its packages are known. Otherwise an error says why: an empty answer would look like good news. */
export async function knownImage(
  reader: Reader,
  repo: string,
  digest: string,
  architecture = "",
): Promise<StoredImage> {
  const image = await imageFor(reader, repo, digest, architecture);
  const stored = image && (await findImage(reader, repo, image.digest));
  if (stored === undefined) {
    const suffix = architecture === "" ? "" : ` for ${architecture}`;
    throw notFound("Image", `${repo}@${digest}${suffix}`);
  }
  if (stored.state !== InventoryState.KNOWN) {
    const { description } = detailOf(stored);
    throw failedPrecondition({
      type: "PACKAGES_UNKNOWN",
      description: `the packages of ${stored.digest} are not known: ${description || "they will be read"}`,
    });
  }
  return stored;
}

/** The open findings of an image, the most severe first. */
export function openFindings(
  reader: Reader,
  intervals: readonly RepoInterval[],
  { repo, digest }: { readonly repo: string; readonly digest: string },
  now: number,
): Promise<FindingRow[]> {
  const order = { column: "severity", descending: true } as const;
  return readFindings(
    reader,
    { intervals, repo, digest, statuses: OPEN_STATUSES, now },
    { order, limit: MAX_FINDINGS },
  );
}
