import { hash } from "node:crypto";
import { isDigest, MANIFEST_TYPES } from "@wharf/server/registry/images/manifest.ts";
import { list, object, parseJson } from "@wharf/server/registry/lenient-json.ts";
import { failed, notFound } from "../../errors.ts";
import { isRepository, isTag } from "./image-name.ts";
import { type Descriptor, type Manifest, readManifest } from "./manifest.ts";
import { networkError, type RegistryClient, readBytes } from "./registry-client.ts";
import { retrying } from "./retries.ts";

const MAX_MANIFEST_BYTES = 4 * 1024 * 1024;
const MAX_LIST_BYTES = 64 * 1024 * 1024;

/** A source that always names a next page would never end. */
const MAX_PAGES = 100_000;

const ACCEPT = MANIFEST_TYPES.join(", ");
const INDEX_TYPE = "application/vnd.oci.image.index.v1+json";

/** The answers of registries without the referrers API. */
const UNSUPPORTED = [400, 404, 405, 501];

/** A repository of a registry. */
export class Repository {
  readonly path: string;
  readonly #client: RegistryClient;
  readonly #scope: string;

  constructor(client: RegistryClient, path: string, actions: "pull" | "pull,push") {
    this.#client = client;
    this.path = path;
    this.#scope = `repository:${path}:${actions}`;
  }

  async tags(): Promise<string[]> {
    const target = `/v2/${this.path}/tags/list?n=1000`;
    return (await readPages(this.#client, target, this.#scope, "tags")).filter(isTag);
  }

  /** The digest of a tag, or the digest itself; undefined if the repository does not have it. */
  async digestOf(reference: string): Promise<string | undefined> {
    const response = await this.#client.sendRetrying({
      method: "HEAD",
      target: `/v2/${this.path}/manifests/${reference}`,
      scope: this.#scope,
      headers: { accept: ACCEPT },
      expected: [404],
    });
    if (response.status === 404) return undefined;
    return response.headers.get("docker-content-digest") ?? (await this.manifest(reference)).digest;
  }

  /** Throws if the repository does not have it. */
  async manifest(reference: string): Promise<Manifest> {
    const { response, bytes } = await this.#client.read(
      {
        target: `/v2/${this.path}/manifests/${reference}`,
        scope: this.#scope,
        headers: { accept: ACCEPT },
        expected: [404],
      },
      MAX_MANIFEST_BYTES,
    );
    const { status, headers } = response;
    if (status === 404) throw notFound(`${this.#client.host}/${this.path} has no ${reference}`);
    const stated = headers.get("docker-content-digest");
    const digest = isDigest(reference) ? reference : stated || `sha256:${hash("sha256", bytes)}`;
    return readManifest(bytes, headers.get("content-type") ?? "", digest);
  }

  async putManifest(reference: string, { bytes, mediaType, digest }: Manifest): Promise<void> {
    const response = await this.#client.sendRetrying({
      method: "PUT",
      target: `/v2/${this.path}/manifests/${reference}`,
      scope: this.#scope,
      headers: { "content-type": mediaType },
      body: bytes,
    });
    const stored = response.headers.get("docker-content-digest") ?? digest;
    await readBytes(response, MAX_LIST_BYTES);
    if (stored !== digest) throw failed(`${this.#client.host} stored ${digest} as ${stored}`);
  }

  /** The manifests attached to a digest; undefined if the registry does not have this API. */
  async referrers(digest: string): Promise<readonly object[] | undefined> {
    const target = `/v2/${this.path}/referrers/${digest}`;
    return readList(this.#client, target, this.#scope, "manifests", UNSUPPORTED);
  }

  /** An index of attached manifests under the tag that stands for the referrers API, where this is missing. */
  async putReferrersTag(tag: string, referrers: readonly object[]): Promise<void> {
    const had = (await this.digestOf(tag)) === undefined ? [] : await this.#entriesOf(tag);
    const known = new Set(had.map(digestIn));
    const added = referrers.filter((one) => !known.has(digestIn(one)));
    if (added.length === 0) return;
    const content = { schemaVersion: 2, mediaType: INDEX_TYPE, manifests: [...had, ...added] };
    const bytes = Buffer.from(JSON.stringify(content));
    const digest = `sha256:${hash("sha256", bytes)}`;
    await this.putManifest(tag, readManifest(bytes, INDEX_TYPE, digest));
  }

  async #entriesOf(tag: string): Promise<object[]> {
    const { bytes } = await this.manifest(tag);
    return list(object(parseJson(bytes)).manifests).map(object);
  }

  async hasBlob(digest: string): Promise<boolean> {
    const { status } = await this.#client.sendRetrying({
      method: "HEAD",
      target: `/v2/${this.path}/blobs/${digest}`,
      scope: this.#scope,
      expected: [404],
    });
    return status !== 404;
  }

  /** Copies a blob to another repository as a stream. After a transient error, the upload begins again. */
  copyBlob(to: Repository, blob: Descriptor, onBytes: (count: number) => void): Promise<void> {
    return retrying(async () => {
      const attempt = new AbortController();
      let sent = 0;
      try {
        const location = await to.#startUpload();
        const content = await this.#blob(blob.digest, attempt.signal);
        const stream = counted(content, (count) => {
          sent += count;
          onBytes(count);
        });
        await to.#finishUpload(location, blob, stream);
      } catch (error) {
        onBytes(-sent);
        throw networkError(`${to.#client.host} did not receive ${blob.digest}`, error);
      } finally {
        // Ends the download if the upload has failed.
        attempt.abort();
      }
    }, this.#client.signal);
  }

  async #blob(digest: string, ended: AbortSignal): Promise<ReadableStream<Uint8Array>> {
    const { body } = await this.#client.send({
      method: "GET",
      target: `/v2/${this.path}/blobs/${digest}`,
      scope: this.#scope,
      signal: AbortSignal.any([this.#client.signal, ended]),
    });
    return body ?? new Blob().stream();
  }

  async #startUpload(): Promise<URL> {
    const response = await this.#client.send({
      method: "POST",
      target: `/v2/${this.path}/blobs/uploads/`,
      scope: this.#scope,
      headers: { "content-length": "0" },
    });
    await readBytes(response, MAX_LIST_BYTES);
    const location = response.headers.get("location");
    if (location === null) throw failed(`${this.#client.host} answers an upload without Location`);
    return new URL(location, response.url);
  }

  async #finishUpload(
    location: URL,
    { digest, size }: Descriptor,
    content: ReadableStream<Uint8Array>,
  ): Promise<void> {
    const response = await this.#client.send({
      method: "PUT",
      target: `${location.href}${location.search === "" ? "?" : "&"}digest=${digest}`,
      scope: this.#scope,
      headers: { "content-type": "application/octet-stream", "content-length": String(size) },
      body: content,
    });
    await readBytes(response, MAX_LIST_BYTES);
  }
}

/** The repositories of a registry that are in a folder; in all, if it is empty. */
export async function repositoriesIn(client: RegistryClient, folder: string): Promise<string[]> {
  const target = "/v2/_catalog?n=1000";
  const names = await readPages(client, target, "registry:catalog:*", "repositories");
  return names.filter((name) => isRepository(name) && name.startsWith(folder && `${folder}/`));
}

async function readPages(
  client: RegistryClient,
  target: string,
  scope: string,
  field: string,
): Promise<string[]> {
  const all = (await readList(client, target, scope, field)) ?? [];
  return [...new Set(all.filter((name) => typeof name === "string"))];
}

/** The pages of a list. Undefined for one of the statuses that stand for its absence. */
async function readList<T>(
  client: RegistryClient,
  first: string,
  scope: string,
  field: string,
  absent: readonly number[] = [],
): Promise<T[] | undefined> {
  const found: T[] = [];
  let target: string | undefined = first;
  for (let page = 1; target !== undefined; page++) {
    const request = { target, scope, expected: absent };
    const { response, bytes } = await client.read(request, MAX_LIST_BYTES);
    if (!response.ok) return undefined;
    found.push(...(list(object(parseJson(bytes))[field]) as T[]));
    if (page === MAX_PAGES) throw failed(`${client.host}${first} has too many pages`);
    target = nextTarget(response);
  }
  return found;
}

/** The target in `Link: </v2/_catalog?last=x>; rel="next"`, at the same registry whatever host it names. */
function nextTarget({ headers, url }: Response): string | undefined {
  const link = /<([^>]+)>;\s*rel="?next"?/.exec(headers.get("link") ?? "")?.[1];
  const next = link === undefined ? null : URL.parse(link, url);
  return next === null ? undefined : `${next.pathname}${next.search}`;
}

function digestIn(descriptor: object): unknown {
  return object(descriptor).digest;
}

function counted(
  content: ReadableStream<Uint8Array>,
  onBytes: (count: number) => void,
): ReadableStream<Uint8Array> {
  return content.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        onBytes(chunk.length);
        controller.enqueue(chunk);
      },
    }),
  );
}
