import { randomUUID } from "node:crypto";
import { WharfError } from "../../lib/errors.ts";
import {
  addBlob,
  type Blob,
  findBlob,
  keepBlobs,
  linkBlob,
  markDamaged,
} from "../../store/tables/registry/blobs.ts";
import {
  addUpload,
  appendPart,
  deleteUpload,
  findUpload,
  type Part,
  partsOf,
  type Upload,
} from "../../store/tables/registry/uploads.ts";
import type { HttpRequest, HttpResponse } from "../../wire/endpoint.ts";
import { RegistryFault } from "../access/errors.ts";
import { isDigest } from "../images/manifest.ts";
import { isRepositoryName } from "../path.ts";
import { checkStorageQuota, enforceStorageQuota } from "../usage/storage-quota.ts";
import type { RepoRequest, ServeDeps } from "./deps.ts";
import { repoOfPush } from "./repo-writes.ts";
import { digestIn } from "./request.ts";
import { checkSpace, SPACE_CHECK_BYTES, type SpaceDeps } from "./space.ts";

/** Begins an upload; a blob that comes with it, or can be mounted from another repository, needs none. */
export async function startUpload(
  deps: ServeDeps,
  repoRequest: RepoRequest,
): Promise<HttpResponse> {
  const { request, caller, name, time } = repoRequest;
  const parameters = new URLSearchParams(request.query);
  const mount = parameters.get("mount");
  if (mount !== null && (await mountBlob(deps, repoRequest, mount, parameters.get("from") ?? "")))
    return created(name, mount);
  await checkSpace(deps, request);
  if (parameters.has("digest")) {
    const digest = digestIn(request);
    const part = await receivePart(deps, repoRequest);
    if (part !== undefined) return finish(deps, repoRequest, [part], digest);
  }
  const id = randomUUID();
  const upload = { id, path: name, actor: caller.caller.uid };
  await deps.store.write((tx) => addUpload(tx, upload, time));
  return progress(202, { ...upload, size: 0 });
}

/** Appends a chunk. */
export async function continueUpload(
  deps: ServeDeps,
  repoRequest: RepoRequest,
  id: string,
): Promise<HttpResponse> {
  const { store, storage } = deps;
  const { time } = repoRequest;
  const upload = await ownUpload(deps, repoRequest, id);
  const part = await receivePart(deps, repoRequest, upload);
  if (part === undefined) return progress(202, upload);
  const isAppended = await store.write((tx) => appendPart(tx, upload, part, time));
  if (!isAppended) {
    await storage.removeParts([part]);
    throw outOfOrder(await ownUpload(deps, repoRequest, id));
  }
  return progress(202, { ...upload, size: upload.size + part.size });
}

/** Appends a last chunk, if there is one, and makes the upload a blob. */
export async function finishUpload(
  deps: ServeDeps,
  repoRequest: RepoRequest,
  id: string,
): Promise<HttpResponse> {
  const digest = digestIn(repoRequest.request);
  const upload = await ownUpload(deps, repoRequest, id);
  const last = await receivePart(deps, repoRequest, upload);
  return finish(deps, repoRequest, last === undefined ? [] : [last], digest, upload);
}

/** The number of bytes of an upload that have arrived. */
export async function uploadProgress(
  deps: ServeDeps,
  repoRequest: RepoRequest,
  id: string,
): Promise<HttpResponse> {
  return progress(204, await ownUpload(deps, repoRequest, id));
}

export async function cancelUpload(
  deps: ServeDeps,
  repoRequest: RepoRequest,
  id: string,
): Promise<HttpResponse> {
  await ownUpload(deps, repoRequest, id);
  const parts = await deps.store.write((tx) => deleteUpload(tx, id));
  await deps.storage.removeParts(parts ?? []);
  return { status: 204, headers: {}, body: "" };
}

/** Links the blob of another repository, if the caller may pull it there. Otherwise it is as if it did not exist. */
async function mountBlob(
  deps: ServeDeps,
  repoRequest: RepoRequest,
  digest: string,
  from: string,
): Promise<boolean> {
  const {
    authorizer,
    times: { leaseMs },
  } = deps;
  if (!isDigest(digest) || !isRepositoryName(from)) return false;
  const { caller, time } = repoRequest;
  const source = await authorizer.authorize(caller, from, "pull").catch(() => undefined);
  const repo = source?.repo;
  if (repo === undefined) return false;
  return deps.store.write(async (tx) => {
    await keepBlobs(tx, [digest]);
    const blob = await findBlob(tx, repo, digest);
    if (blob?.damaged !== 0) return false;
    const target = await repoOfPush(deps, tx, repoRequest);
    const growth = await linkBlob(tx, target, digest, time + leaseMs);
    await enforceStorageQuota(deps, tx, growth, blob.size);
    return true;
  });
}

/** Stores an upload, and what came with the last request, as a blob and links it. After an error the upload is as it was. */
async function finish(
  deps: ServeDeps,
  repoRequest: RepoRequest,
  added: readonly Part[],
  digest: string,
  upload?: Upload,
): Promise<HttpResponse> {
  const {
    storage,
    store,
    times: { leaseMs },
  } = deps;
  const { name, time } = repoRequest;
  const before = upload === undefined ? [] : await partsOf(store.reader, upload.id);
  const parts = [...before, ...added];
  try {
    if (!(await storage.store(parts, digest))) {
      throw new RegistryFault("DIGEST_INVALID", `the content has another digest than ${digest}`);
    }
    const size = sizeOf(parts);
    await store.write(async (tx) => {
      const isDone = upload && (await deleteUpload(tx, upload.id, sizeOf(before))) === undefined;
      if (isDone) throw unknownUpload();
      // Before the blob, as manifests lock them.
      const repo = await repoOfPush(deps, tx, repoRequest);
      await addBlob(tx, { digest, size }, time);
      // From now on: the body may have taken hours.
      const growth = await linkBlob(tx, repo, digest, Date.now() + leaseMs);
      await enforceStorageQuota(deps, tx, growth, size);
    });
    await confirmStored(deps, { digest, size });
  } catch (error) {
    await storage.removeParts(added);
    // Another request has finished or canceled it, or was interrupted when it made its part a blob.
    throw (error as NodeJS.ErrnoException).code === "ENOENT" ? unknownUpload() : error;
  }
  await storage.removeParts(parts);
  return created(name, digest);
}

/**
 * The collection of garbage takes a file without a row for an old one after an hour. If a process stood still for as long
 * before it added the row, the content may be gone: the next push is to upload it again.
 */
async function confirmStored({ storage, store }: ServeDeps, { digest, size }: Blob): Promise<void> {
  if ((await storage.sizeOf(digest)) === size) return;
  await store.write((tx) => markDamaged(tx, digest, Date.now()));
  throw new WharfError("UNAVAILABLE", "the content was removed meanwhile: push it again");
}

function sizeOf(parts: readonly Part[]): number {
  return parts.reduce((sum, { size }) => sum + size, 0);
}

/** Uploads of others look as if they did not exist. */
async function ownUpload(
  { store }: ServeDeps,
  { name, caller }: RepoRequest,
  id: string,
): Promise<Upload> {
  const upload = await findUpload(store.reader, id);
  if (upload?.path === name && upload.actor === caller.caller.uid) return upload;
  throw unknownUpload();
}

function unknownUpload(): RegistryFault {
  return new RegistryFault("BLOB_UPLOAD_UNKNOWN", "there is no such upload: begin another one");
}

/** Each part is a row and a file: tiny ones cost more than they carry. Ten gigabytes in chunks of one megabyte. */
const MAX_PARTS = 10_000;

/**
 * Writes the body as the next part of an upload; undefined if there is no body. In HTTP/2 only its end shows whether
 * there is one.
 */
async function receivePart(
  deps: ServeDeps,
  { request, path }: RepoRequest,
  upload?: Upload,
): Promise<Part | undefined> {
  const { storage, catalog, store } = deps;
  if (request.headers["content-length"] === "0") return undefined;
  const length = upload && expectedLength(request, upload);
  if (upload !== undefined && upload.parts >= MAX_PARTS) {
    const text = `an upload has at most ${MAX_PARTS} chunks: send larger ones`;
    throw new RegistryFault("BLOB_UPLOAD_INVALID", text);
  }
  const digest = new URLSearchParams(request.query).get("digest") ?? undefined;
  const checkQuota = (received: number) => {
    const announced = { bytes: (upload?.size ?? 0) + received, digest };
    return checkStorageQuota(catalog, store.reader, path.repo ?? path.group, announced);
  };
  await checkSpace(deps, request);
  await checkQuota(length ?? Number(request.headers["content-length"] ?? 0));
  const part = await storage.writePart(limited(deps, request.chunks(), checkQuota, length));
  if (part.size > 0 && (length === undefined || part.size === length)) return part;
  await storage.removeParts([part]);
  if (part.size === 0 && !length) return undefined;
  throw wrongLength();
}

/** Ends a body that is longer than announced, or fills the disk or the quota: its length may be undeclared. */
export async function* limited(
  deps: SpaceDeps,
  chunks: AsyncIterable<Buffer>,
  checkQuota: (received: number) => Promise<void>,
  length = Number.POSITIVE_INFINITY,
): AsyncGenerator<Buffer> {
  let size = 0;
  let checked = 0;
  for await (const chunk of chunks) {
    size += chunk.length;
    if (size > length) throw wrongLength();
    if (size - checked >= SPACE_CHECK_BYTES) {
      await checkSpace(deps);
      await checkQuota(size);
      checked = size;
    }
    yield chunk;
  }
}

const CONTENT_RANGE = /^(?:bytes )?(\d+)-(\d+)(?:\/(?:\d+|\*))?$/;

/** The length of a chunk with a range, which must follow what has arrived; undefined without a range. */
function expectedLength({ headers }: HttpRequest, upload: Upload): number | undefined {
  const header = headers["content-range"];
  if (header === undefined) return undefined;
  const [, start, end] = CONTENT_RANGE.exec(header) ?? [];
  if (start === undefined) {
    throw new RegistryFault("BLOB_UPLOAD_INVALID", "Content-Range must be START-END");
  }
  if (Number(start) !== upload.size) throw outOfOrder(upload);
  const expected = Number(end) - Number(start) + 1;
  const length = headers["content-length"];
  if (length !== undefined && Number(length) !== expected) throw wrongLength();
  return expected;
}

function wrongLength(): RegistryFault {
  return new RegistryFault("SIZE_INVALID", "the body is not as long as its Content-Range");
}

function outOfOrder(upload: Upload): RegistryFault {
  const text = `the next chunk begins at ${upload.size}`;
  return new RegistryFault("RANGE_INVALID", text, progressHeaders(upload));
}

/** The state of an upload that clients see. */
type UploadState = Pick<Upload, "id" | "path" | "size">;

function progress(status: number, upload: UploadState): HttpResponse {
  return { status, headers: progressHeaders(upload), body: "" };
}

function progressHeaders({ id, path, size }: UploadState): Record<string, string> {
  return {
    location: `/v2/${path}/blobs/uploads/${id}`,
    range: `0-${Math.max(0, size - 1)}`,
    "docker-upload-uuid": id,
  };
}

function created(name: string, digest: string): HttpResponse {
  const headers = {
    location: `/v2/${name}/blobs/${digest}`,
    "docker-content-digest": digest,
  };
  return { status: 201, headers, body: "" };
}
