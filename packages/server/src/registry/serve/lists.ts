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

/** The tags of a repository, in the order of their bytes. */
export async function listTags(
  { store }: ServeDeps,
  { request, name, path: { repo } }: RepoRequest,
): Promise<HttpResponse> {
  if (repo === undefined) throw new RegistryFault("NAME_UNKNOWN", `${name} does not exist`);
  const parameters = new URLSearchParams(request.query);
  const requestedLimit = parameters.get("n");
  if (requestedLimit !== null && !/^\d+$/.test(requestedLimit)) {
    throw new RegistryFault("SIZE_INVALID", "n must be a number");
  }
  const limit = Math.min(requestedLimit === null ? MAX_TAGS : Number(requestedLimit), MAX_TAGS);
  const last = parameters.get("last") ?? "";
  const found = await servedTags(store.reader, repo, last, limit + 1);
  const tags = found.slice(0, limit);
  const next = found.length > limit && tags.length > 0 ? tags.at(-1) : undefined;
  const link = next && `</v2/${name}/tags/list?n=${limit}&last=${encodeURIComponent(next)}>`;
  return {
    status: 200,
    headers: { "content-type": "application/json", ...(link && { link: `${link}; rel="next"` }) },
    body: JSON.stringify({ name, tags }),
  };
}

/** The manifests that are attached to a digest, which need not exist: an index of them. */
export async function listReferrers(
  { store }: ServeDeps,
  { request, name, path: { repo = "" } }: RepoRequest,
  subject: string,
): Promise<HttpResponse> {
  const parameters = new URLSearchParams(request.query);
  const type = parameters.get("artifactType");
  const after = parameters.get("last") ?? "";
  const { descriptors, next } = await readPage(store.reader, repo, subject, after);
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
