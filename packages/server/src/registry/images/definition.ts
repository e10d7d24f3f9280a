import { create, type DescMethod } from "@bufbuild/protobuf";
import {
  ArchitecturesSchema,
  type GetArchitecturesRequest,
  type GetSizeRequest,
  ImagesService,
  SizeSchema,
} from "@wharf/contract";
import { notFound } from "../../lib/errors.ts";
import type { Handler } from "../../rpc/call.ts";
import { messageReply } from "../../rpc/reply.ts";
import type { Reader } from "../../store/db/connection.ts";
import type { Store } from "../../store/db/store.ts";
import { findManifest, type Manifest } from "../../store/tables/registry/manifests.ts";
import { MAX_CHILDREN } from "./manifest.ts";

const DEFAULT_ARCHITECTURE = "amd64";

/** The architecture of attestations, which builders list among the images of an index. */
const ATTESTATION_ARCHITECTURE = "unknown";

/** The handlers of ImagesService that read stored metadata. */
export function imageHandlers(store: Store): [DescMethod, Handler][] {
  const { method } = ImagesService;
  return [
    [method.getArchitectures, getArchitectures(store)],
    [method.getSize, getSize(store)],
  ];
}

function getArchitectures({ reader }: Store): Handler {
  return async (_call, message) => {
    const { repoUid, digest } = message as GetArchitecturesRequest;
    const images = await imagesOf(reader, repoUid, await getManifest(reader, repoUid, digest));
    const all = images.map(({ architecture }) => architecture);
    const named = all.filter((one) => one !== "" && one !== ATTESTATION_ARCHITECTURE);
    const architectures = [...new Set(named)];
    return messageReply(ArchitecturesSchema, create(ArchitecturesSchema, { architectures }));
  };
}

function getSize({ reader }: Store): Handler {
  return async (_call, message) => {
    const { image, architecture } = await imageFor(reader, message as GetSizeRequest);
    const size = create(SizeSchema, { size: BigInt(image.size), architecture });
    return messageReply(SizeSchema, size);
  };
}

/** Selects an image; of an index, the one for an architecture. */
export interface ImageRequest {
  readonly repoUid: string;
  readonly digest: string;
  readonly architecture: string;
}

/** The requested image and its architecture. */
export async function imageFor(
  reader: Reader,
  { repoUid, digest, architecture: requested }: ImageRequest,
): Promise<{ image: Manifest; architecture: string }> {
  const manifest = await getManifest(reader, repoUid, digest);
  const isIndex = manifest.kind === "index";
  const requestedArchitecture =
    requested !== "" ? requested : isIndex ? DEFAULT_ARCHITECTURE : manifest.architecture;
  const images = await imagesOf(reader, repoUid, manifest);
  const named = images.find(({ architecture }) => architecture === requestedArchitecture);
  const image = isIndex
    ? named && (await findManifest(reader, repoUid, named.digest))
    : named && manifest;
  if (image === undefined)
    throw notFound("Image", `${repoUid}@${digest} for ${requestedArchitecture}`);
  return { image, architecture: requestedArchitecture };
}

async function getManifest(reader: Reader, repo: string, digest: string): Promise<Manifest> {
  const manifest = await findManifest(reader, repo, digest);
  if (manifest === undefined) throw notFound("Image", `${repo}@${digest}`);
  return manifest;
}

/** The image itself, or the children of an index, with their architectures. */
async function imagesOf(reader: Reader, repo: string, manifest: Manifest) {
  if (manifest.kind !== "index") return [manifest];
  return Promise.all(
    manifest.children.map(async ({ digest, architecture }, at) => {
      if (architecture !== "" || at >= MAX_CHILDREN) return { digest, architecture };
      const child = await findManifest(reader, repo, digest);
      return { digest, architecture: child?.architecture ?? "" };
    }),
  );
}
