import { create } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import {
  type Image,
  ImageKind,
  ImageSchema,
  type ListImageLocationsRequest,
  ListImageLocationsResponseSchema,
  type ListImagesRequest,
  ListImagesResponseSchema,
} from "@wharf/contract";
import type { ResourceStore } from "../../engine/catalog.ts";
import { pageSizeOf, readCursor } from "../../engine/list/list.ts";
import type { ListDeps } from "../../engine/list/lists.ts";
import { notFound } from "../../lib/errors.ts";
import type { Handler } from "../../rpc/call.ts";
import { messageReply } from "../../rpc/reply.ts";
import type { Reader } from "../../store/db/connection.ts";
import { locationsOf, OWN_HOST } from "../../store/tables/registry/locations.ts";
import {
  indexesOf,
  type Manifest,
  type ManifestPosition,
  readManifests,
} from "../../store/tables/registry/manifests.ts";
import { tagsOfDigests } from "../../store/tables/registry/tags.ts";

const KINDS = {
  image: ImageKind.IMAGE,
  index: ImageKind.INDEX,
  other: ImageKind.ARTIFACT,
} as const;

/** Names of tags that one image is listed with. */
const MAX_TAGS = 100;

/** Manifests read at a time while few of them match. */
const BATCH_SIZE = 500;

/** The handler of ListImages: stored manifests, the last push first. */
export function listImages(deps: ListDeps): Handler {
  const { reader } = deps.store;
  return async (call, message) => {
    const { repoUid, untagged, subject, digests, pageSize, pageToken } =
      message as ListImagesRequest;
    await mustExist(deps, repoUid);
    const limit = pageSizeOf(pageSize);
    const query = JSON.stringify(["ListImages", repoUid, untagged, subject, digests]);
    const cursor = readCursor(deps.lists, query, pageToken, call.time)?.position;
    const after = cursor && readPosition(String(cursor.key));
    const filter = untagged ? await danglingFilter(reader, repoUid) : undefined;
    const found = await readMatching(reader, {
      ...{ repo: repoUid, subject, digests, after, limit, filter },
    });
    const page = found.slice(0, limit);
    const last = found.length > limit ? page.at(-1) : undefined;
    const next = last && { position: { key: positionText(last), id: 0 }, skipped: 0 };
    const response = create(ListImagesResponseSchema, {
      images: await withTags(reader, repoUid, page),
      nextPageToken: next ? deps.lists.pageTokens.seal(query, next, call.time) : "",
    });
    return messageReply(ListImagesResponseSchema, response);
  };
}

/** @param ownHost The host of the registry of this server. */
export function listImageLocations(
  deps: ResourceStore,
  remotes: ReadonlyMap<string, unknown>,
  ownHost: () => string,
): Handler {
  return async (_call, message) => {
    const { repoUid } = message as ListImageLocationsRequest;
    await mustExist(deps, repoUid);
    const stored = await locationsOf(deps.store.reader, repoUid);
    const locations = stored.map(({ host, path }) => ({
      host: host === OWN_HOST ? ownHost() : host,
      path,
      attached: remotes.has(host),
    }));
    const response = create(ListImageLocationsResponseSchema, { locations });
    return messageReply(ListImageLocationsResponseSchema, response);
  };
}

/** Throws NOT_FOUND unless the repo exists. */
export async function mustExist(
  { catalog: { repos }, store }: ResourceStore,
  uid: string,
): Promise<void> {
  if ((await repos.table.find(store.reader, uid, "data")) === undefined) {
    throw notFound(repos.typeName, uid);
  }
}

type Filter = (manifests: readonly Manifest[]) => Promise<readonly Manifest[]>;

interface Selection {
  readonly repo: string;
  readonly subject: string;
  /** Empty for all. */
  readonly digests: readonly string[];
  readonly after: ManifestPosition | undefined;
  readonly limit: number;
  readonly filter: Filter | undefined;
}

/** The next manifests that match, and one more if there are more. */
async function readMatching(
  reader: Reader,
  { repo, subject, digests, after, limit, filter = async (all) => all }: Selection,
): Promise<Manifest[]> {
  const found: Manifest[] = [];
  let last = after;
  for (;;) {
    const batch = await readManifests(reader, repo, {
      ...{ subject, digests, after: last, limit: BATCH_SIZE },
    });
    found.push(...(await filter(batch)));
    last = batch.at(-1);
    if (found.length > limit || batch.length < BATCH_SIZE) return found.slice(0, limit + 1);
  }
}

/** Keeps what no tag, no index and no subject keeps in use. */
async function danglingFilter(reader: Reader, repo: string): Promise<Filter> {
  const inIndex = new Set<string>();
  for await (const { children } of indexesOf(reader, repo)) {
    for (const { digest } of children) inIndex.add(digest);
  }
  return async (manifests) => {
    const candidates = manifests.filter((one) => one.subject === "" && !inIndex.has(one.digest));
    const digests = candidates.map(({ digest }) => digest);
    const tagged = new Set((await tagsOfDigests(reader, repo, digests)).map((tag) => tag.digest));
    return candidates.filter(({ digest }) => !tagged.has(digest));
  };
}

async function withTags(
  reader: Reader,
  repo: string,
  manifests: readonly Manifest[],
): Promise<Image[]> {
  const digests = manifests.map(({ digest }) => digest);
  const names = Map.groupBy(await tagsOfDigests(reader, repo, digests), ({ digest }) => digest);
  return manifests.map((manifest) => {
    const tags = (names.get(manifest.digest) ?? []).map(({ name }) => name);
    return toImage(manifest, tags.slice(0, MAX_TAGS));
  });
}

function toImage(manifest: Manifest, tags: string[]): Image {
  const { digest, mediaType, kind, architecture, size, subject, pushed, pulled } = manifest;
  return create(ImageSchema, {
    ...{ digest, mediaType, architecture, subject, tags },
    kind: KINDS[kind],
    size: BigInt(size),
    children: manifest.children.map((child) => child.digest),
    pushTime: timestampFromMs(pushed),
    ...(pulled > 0 && { pullTime: timestampFromMs(pulled) }),
  });
}

function positionText({ pushed, digest }: ManifestPosition): string {
  return `${pushed} ${digest}`;
}

function readPosition(text: string): ManifestPosition {
  const [pushed = "", digest = ""] = text.split(" ");
  return { pushed: Number(pushed), digest };
}
