import type { MessageInitShape } from "@bufbuild/protobuf";
import { subtreeEnd } from "@wharf/contract";
import { registryV1 } from "@wharf/contract/v1";
import { SBOM_LIMITS } from "../../exposure/sboms/limits.ts";
import { invalidArgument } from "../../lib/errors.ts";
import { mustBeUid } from "../../rpc/validate.ts";
import type { Reader } from "../../store/db/connection.ts";
import type { Store } from "../../store/db/store.ts";
import { countDigests } from "../../store/tables/exposure/images/visible-repos.ts";
import {
  type PackageRow,
  packagesOfImage,
} from "../../store/tables/exposure/packages/image-packages-list.ts";
import { type AdaptedMethod, respondWith } from "../adapter.ts";
import { imageFor } from "./images.ts";

const { listManifestMetadata, getManifestDigestCount } = registryV1.Registry.method;

/** January 1 of the year 1: clients of the contract compare times with it, which they call zero. */
const ZERO_DATE = { seconds: -62_135_596_800n, nanos: 0 };

const MAX_PACKAGES = SBOM_LIMITS.components;

/** Packages and numbers of images. */
export function manifestMetadataMethods({ reader }: Store): AdaptedMethod[] {
  return [
    respondWith(listManifestMetadata, {}, async ({ repoId, items }) => {
      mustBeUid("repoId", repoId);
      const found: MessageInitShape<typeof registryV1.ManifestMetadataSchema>[] = [];
      let left = MAX_PACKAGES;
      for (const [at, item] of items.entries()) {
        const metadata = await metadataOf(reader, repoId, readItem(item, at), left);
        left -= metadata?.pkgMetadata.length ?? 0;
        if (metadata !== undefined) found.push(metadata);
      }
      return { items: found };
    }),
    respondWith(getManifestDigestCount, {}, async ({ parentId }) => {
      mustBeUid("parentId", parentId);
      return { count: BigInt(await countDigests(reader, parentId, subtreeEnd(parentId))) };
    }),
  ];
}

interface RequestedImage {
  readonly digest: string;
  readonly arch: string;
}

function readItem({ filter }: registryV1.ManifestMetadataFilterEntry, at: number): RequestedImage {
  const digest = filter.case === "imageDigest" ? filter.value : (filter.value?.digest ?? "");
  if (digest === "") {
    const field = `items[${at}]`;
    throw invalidArgument({ field, description: `${field} must name an image by its digest` });
  }
  return { digest, arch: filter.case === "indexFilter" ? filter.value.arch : "" };
}

/** Unknown images are left out, as version 1 does. */
async function metadataOf(
  reader: Reader,
  repo: string,
  { digest, arch }: RequestedImage,
  limit: number,
) {
  const image = await imageFor(reader, repo, digest, arch);
  if (image === undefined) return undefined;
  const packages = await packagesOfImage(reader, image.id, { text: "", limit });
  return { digest: image.digest, pkgMetadata: packages.map(metadataOfPackage) };
}

function metadataOfPackage({ purl, origin, originVersion, license }: PackageRow) {
  const originPurl = origin === "" ? "" : originOf(purl, origin, originVersion);
  return { purl, originPurl, license, eolDate: ZERO_DATE, buildTimestamp: ZERO_DATE };
}

/** The package URL of a source package: that of the package with another name and version. */
export function originOf(purl: string, origin: string, version: string): string {
  const [, before = "", rest = ""] = /^(pkg:(?:[^/@?#]+\/)+)[^/@?#]*(.*)$/s.exec(purl) ?? [];
  if (before === "") return "";
  const [, ownVersion = "", qualifiers = ""] = /^(@[^?#]*)?(.*)$/s.exec(rest) ?? [];
  const suffix = version === "" ? ownVersion : `@${encodeURIComponent(version)}`;
  return `${before}${encodeURIComponent(origin)}${suffix}${qualifiers}`;
}
