import { create } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { registryV1, sbomV1 } from "@wharf/contract/v1";
import type { DocumentReader } from "../../exposure/inventory/document-reader.ts";
import type { ContentsDeps } from "../../exposure/inventory/image-contents.ts";
import { detailOf } from "../../exposure/inventory/image-detail.ts";
import { readStoredSbom, type StoredSbom } from "../../exposure/inventory/stored-sbom.ts";
import { SBOM_LIMITS } from "../../exposure/sboms/limits.ts";
import type { Sbom } from "../../exposure/sboms/sbom.ts";
import { failedPrecondition } from "../../lib/errors.ts";
import type { Reader } from "../../store/db/connection.ts";
import { repoPaths } from "../../store/tables/exposure/images/image-names.ts";
import type { StoredImage } from "../../store/tables/exposure/images/images.ts";
import { packagesOf } from "../../store/tables/exposure/packages/image-packages.ts";
import { packagesOfImage } from "../../store/tables/exposure/packages/image-packages-list.ts";
import { type AdaptedMethod, respondWith } from "../adapter.ts";
import { knownImage } from "./images.ts";
import { documentGraph, packagesGraph } from "./sbom-graph.ts";

const { getSbom, getRawSbom } = registryV1.Registry.method;

export interface SbomDeps extends ContentsDeps {
  readonly documents: DocumentReader;
}

/** The SBOM of an image: parsed, and as it is. */
export function sbomMethods(deps: SbomDeps): AdaptedMethod[] {
  const { reader } = deps.store;
  return [
    respondWith(getSbom, {}, async ({ repoId, digest, arch }, call) => {
      const image = await knownImage(reader, repoId, digest, arch);
      const stored = await readStoredSbom(deps, image, call.signal);
      return sbomOf(deps, image, stored);
    }),
    respondWith(getRawSbom, {}, async ({ repoId, digest, arch }, call) => {
      const image = await knownImage(reader, repoId, digest, arch);
      const stored = await readStoredSbom(deps, image, call.signal);
      if (stored === undefined) {
        const description = "the packages were read from the layers of the image: it has no SBOM";
        throw failedPrecondition({ type: "NO_SBOM", description });
      }
      return { rawSbom: Buffer.from(stored.bytes).toString("utf8") };
    }),
  ];
}

async function sbomOf(deps: SbomDeps, image: StoredImage, stored: StoredSbom | undefined) {
  const { reader } = deps.store;
  const { repo, digest } = image;
  const detail = detailOf(image);
  const path = (await repoPaths(reader, [repo])).get(repo) ?? repo;
  const root = { id: digest, name: path };
  const sbom = stored && (await parsed(deps.documents, stored, digest));
  const generated = sbom?.generatedAt ?? detail.generated;
  return create(sbomV1.Sbom2Schema, {
    id: `${repo}@${digest}`,
    ...(stored && { rawSbom: Uint8Array.from(stored.bytes) }),
    graph: sbom ? documentGraph(sbom, root) : await storedGraph(reader, image, root),
    lastSeen: timestampFromMs(image.indexed),
    ...{ tool: detail.tool, format: detail.format },
    ...(generated && { generatedAt: timestampFromMs(Date.parse(generated)) }),
    authors: sbom?.authors.join(", ") ?? "",
    source: stored === undefined ? sbomV1.Sbom2_Source.GENERATED : sbomV1.Sbom2_Source.INGESTED,
    name: sbom?.name ?? "",
    description: detail.operatingSystem,
    ...(stored && { digest: stored.detail.digest }),
  });
}

/** The document, which was read before with the same limits. */
async function parsed(
  documents: DocumentReader,
  { bytes, detail }: StoredSbom,
  digest: string,
): Promise<Sbom | undefined> {
  const digests = [digest, detail.target];
  const readings = await documents.read({ bytes, isCompressed: false, digests, isWhole: true });
  return readings.find(({ whole }) => whole !== undefined)?.whole;
}

async function storedGraph(
  reader: Reader,
  { id }: StoredImage,
  root: { readonly id: string; readonly name: string },
) {
  const page = { text: "", limit: SBOM_LIMITS.components };
  const owners = (await packagesOf(reader, id)).map(
    ({ version, owner }) => [version, owner] as const,
  );
  return packagesGraph(await packagesOfImage(reader, id, page), new Map(owners), root);
}
