import type { Reader } from "../../store/db/connection.ts";
import { readReferrers, type StoredContent } from "../../store/tables/registry/manifests.ts";
import { servedTags } from "../../store/tables/registry/tags.ts";
import type { HttpResponse } from "../../wire/endpoint.ts";
import { RegistryFault } from "../access/errors.ts";
import { parseManifest } from "../images/image-manifest.ts";
import type { RepoRequest, ServeDeps } from "./deps.ts";

/** Names of tags in one response. */
const MAX_TAGS = 10_000;

/** Manifests in one response. */
const MAX_REFERRERS = 200;

/** Bytes of manifests that one response is made of: each may be as large as manifests may be. */
const MAX_REFERRER_BYTES = 4 * 1024 * 1024;

/** Manifests that are read at a time. */
const BATCH_SIZE = 10;

const INDEX_TYPE = "application/vnd.oci.image.index.v1+json";

/** A page of the tags of a repository. */
export interface TagPage {
  readonly tags: readonly string[];
  /** The tag after which the next page begins; undefined for the last one. */
  readonly next: string | undefined;
  /** Headers beside those of every page. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** The tags of a repository, in the order of their bytes. */
export async function listTags(
  { store, mirrors }: ServeDeps,
  repoRequest: RepoRequest,
): Promise<HttpResponse> {
  const { request, name } = repoRequest;
  const parameters = new URLSearchParams(request.query);
  const requestedLimit = parameters.get("n");
  if (requestedLimit !== null && !/^\d+$/.test(requestedLimit)) {
    throw new RegistryFault("SIZE_INVALID", "n must be a number");
  }
  const limit = Math.min(requestedLimit === null ? MAX_TAGS : Number(requestedLimit), MAX_TAGS);
  const last = parameters.get("last") ?? "";
  const { tags, next, headers } =
    (await mirrors.tags(repoRequest, last, limit)) ??
    (await storedTags(store.reader, repoRequest, last, limit));
  const link = next && `</v2/${name}/tags/list?n=${limit}&last=${encodeURIComponent(next)}>`;
  return {
    status: 200,
    headers: {
      ...headers,
      "content-type": "application/json",
      ...(link && { link: `${link}; rel="next"` }),
    },
    body: JSON.stringify({ name, tags }),
  };
}

/** A page of the tags that this registry has. */
export async function storedTags(
  reader: Reader,
  { name, path: { repo } }: Pick<RepoRequest, "name" | "path">,
  last: string,
  limit: number,
): Promise<TagPage> {
  if (repo === undefined) throw new RegistryFault("NAME_UNKNOWN", `${name} does not exist`);
  const found = await servedTags(reader, repo, last, limit + 1);
  const tags = found.slice(0, limit);
  return { tags, next: found.length > limit && tags.length > 0 ? tags.at(-1) : undefined };
}

/** The manifests that are attached to a digest, which need not exist: an index of them. */
export async function listReferrers(
  { store, mirrors }: ServeDeps,
  repoRequest: RepoRequest,
  subject: string,
): Promise<HttpResponse> {
  const {
    request,
    name,
    path: { repo = "" },
  } = repoRequest;
  const parameters = new URLSearchParams(request.query);
  const type = parameters.get("artifactType");
  const after = parameters.get("last") ?? "";
  const attached = await mirrors.referrers(repoRequest, subject);
  const { descriptors, next } =
    attached === undefined
      ? await readPage(store.reader, repo, subject, after)
      : { descriptors: attached as readonly Descriptor[] };
  const manifests =
    type === null ? descriptors : descriptors.filter((one) => one.artifactType === type);
  const filter = type === null ? "" : `&artifactType=${encodeURIComponent(type)}`;
  const link = next && `</v2/${name}/referrers/${subject}?last=${next}${filter}>; rel="next"`;
  return {
    status: 200,
    headers: {
      "content-type": INDEX_TYPE,
      ...(type !== null && { "oci-filters-applied": "artifactType" }),
      ...(link && { link }),
    },
    body: JSON.stringify({ schemaVersion: 2, mediaType: INDEX_TYPE, manifests }),
  };
}

interface Descriptor {
  readonly mediaType: string;
  readonly digest: string;
  readonly size: number;
  readonly artifactType?: string;
  readonly annotations?: Readonly<Record<string, string>>;
}

/** The next attached manifests, and the last of them if there may be more. */
async function readPage(
  reader: Reader,
  repo: string,
  subject: string,
  after: string,
): Promise<{ readonly descriptors: readonly Descriptor[]; readonly next?: string | undefined }> {
  const descriptors: Descriptor[] = [];
  let bytes = 0;
  for (let last: string | undefined = after; last !== undefined; ) {
    const found = await readReferrers(reader, repo, subject, last, BATCH_SIZE);
    for (const one of found) {
      descriptors.push(descriptorOf(one));
      bytes += one.content.length;
      if (descriptors.length === MAX_REFERRERS || bytes >= MAX_REFERRER_BYTES)
        return { descriptors, next: one.digest };
    }
    last = found.length === BATCH_SIZE ? found.at(-1)?.digest : undefined;
  }
  return { descriptors };
}

function descriptorOf({ digest, mediaType, content }: StoredContent): Descriptor {
  const { artifactType, annotations } = parseManifest(content);
  return {
    mediaType,
    digest,
    size: content.length,
    ...(artifactType && { artifactType }),
    ...(Object.keys(annotations).length > 0 && { annotations }),
  };
}
