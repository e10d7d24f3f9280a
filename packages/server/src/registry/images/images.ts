import { create, type DescMethod } from "@bufbuild/protobuf";
import {
  ArchitecturesSchema,
  type GetArchitecturesRequest,
  type GetSizeRequest,
  ImagesService,
  SizeSchema,
} from "@wharf/contract";
import type { Engine } from "../../engine/engine.ts";
import { notFound } from "../../lib/errors.ts";
import type { Handler } from "../../rpc/call.ts";
import { messageReply } from "../../rpc/reply.ts";
import type { Reader } from "../../store/db/connection.ts";
import { findManifest, type Manifest } from "../../store/tables/manifests.ts";
import { MAX_CHILDREN } from "./manifest.ts";

const DEFAULT_ARCHITECTURE = "amd64";

/** What builders write where something that is no image is listed with the images. */
const NO_ARCHITECTURE = "unknown";

/**
 * What is known of an image: for which machines it is, and how large.
 *
 * @example const handlers = new Map(imageHandlers(engine));
 */
export function imageHandlers(engine: Engine): [DescMethod, Handler][] {
  const { method } = ImagesService;
  return [
    [method.getArchitectures, getArchitectures(engine)],
    [method.getSize, getSize(engine)],
  ];
}

function getArchitectures({ store: { reader } }: Engine): Handler {
  return async (_call, message) => {
    const { repoUid, digest } = message as GetArchitecturesRequest;
    const images = await imagesOf(reader, repoUid, await known(reader, repoUid, digest));
    const all = images.map(({ architecture }) => architecture);
    const named = all.filter((one) => one !== "" && one !== NO_ARCHITECTURE);
    const architectures = [...new Set(named)];
    return messageReply(ArchitecturesSchema, create(ArchitecturesSchema, { architectures }));
  };
}

function getSize({ store: { reader } }: Engine): Handler {
  return async (_call, message) => {
    const { image, architecture } = await imageFor(reader, message as GetSizeRequest);
    const size = create(SizeSchema, { size: BigInt(image.size), architecture });
    return messageReply(SizeSchema, size);
  };
}

/** Which image is asked for: of an index, the one for an architecture. */
export interface Wanted {
  readonly repoUid: string;
  readonly digest: string;
  readonly architecture: string;
}

/**
 * The image that is asked for, and the architecture that it is for.
 *
 * @example const { image } = await imageFor(reader, request);
 */
export async function imageFor(
  reader: Reader,
  { repoUid, digest, architecture: asked }: Wanted,
): Promise<{ image: Manifest; architecture: string }> {
  const manifest = await known(reader, repoUid, digest);
  const isIndex = manifest.kind === "index";
  const wanted = asked !== "" ? asked : isIndex ? DEFAULT_ARCHITECTURE : manifest.architecture;
  const images = await imagesOf(reader, repoUid, manifest);
  const named = images.find(({ architecture }) => architecture === wanted);
  const image = isIndex
    ? named && (await findManifest(reader, repoUid, named.digest))
    : named && manifest;
  if (image === undefined) throw notFound("Image", `${repoUid}@${digest} for ${wanted}`);
  return { image, architecture: wanted };
}

async function known(reader: Reader, repo: string, digest: string): Promise<Manifest> {
  const manifest = await findManifest(reader, repo, digest);
  if (manifest === undefined) throw notFound("Image", `${repo}@${digest}`);
  return manifest;
}

/** The image itself, or those of an index, each with its architecture. */
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
