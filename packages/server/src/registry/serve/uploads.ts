import { randomUUID } from "node:crypto";
import { WharfError } from "../../lib/errors.ts";
import { addBlob, findBlob, linkBlob } from "../../store/tables/registry/blobs.ts";
import {
  addUpload,
  appendPart,
  deleteUpload,
  findUpload,
  type Part,
  type Upload,
} from "../../store/tables/registry/uploads.ts";
import type { HttpRequest, HttpResponse } from "../../wire/endpoint.ts";
import { HttpFault } from "../../wire/http.ts";
import { RegistryFault } from "../access/errors.ts";
import { isDigest } from "../images/manifest.ts";
import { isRepositoryName } from "../path.ts";
import type { RepoRequest, ServeDeps } from "./deps.ts";
import { repoOfPush } from "./repo-writes.ts";
import { digestIn } from "./request.ts";

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
  if (parameters.has("digest") && hasBody(request)) {
    const digest = digestIn(request);
    const part = await deps.storage.writePart(request.chunks());
    return finish(deps, repoRequest, [part], digest);
  }
  const id = randomUUID();
  const upload = { id, path: name, actor: caller.caller.uid };
  await deps.engine.store.write((tx) => addUpload(tx, upload, time));
  return progress(202, { ...upload, size: 0, parts: [] });
}

/** Appends a chunk. */
export async function continueUpload(
  deps: ServeDeps,
  repoRequest: RepoRequest,
  id: string,
): Promise<HttpResponse> {
  const { engine, storage } = deps;
  const { request, time } = repoRequest;
  const upload = await ownUpload(deps, repoRequest, id);
  checkOffset(request, upload);
  await checkSpace(deps, request);
  const part = await storage.writePart(request.chunks());
  if (part.size === 0) {
    await storage.removeParts([part]);
    return progress(202, upload);
  }
  const isAppended = await engine.store.write((tx) => appendPart(tx, upload, part, time));
  if (!isAppended) {
    await storage.removeParts([part]);
    throw outOfOrder((await ownUpload(deps, repoRequest, id)) ?? upload);
  }
  return progress(202, { ...upload, size: upload.size + part.size });
}

/** Appends a last chunk, if there is one, and makes the upload a blob. */
export async function finishUpload(
  deps: ServeDeps,
  repoRequest: RepoRequest,
  id: string,
): Promise<HttpResponse> {
  const { request } = repoRequest;
  const digest = digestIn(request);
  const upload = await ownUpload(deps, repoRequest, id);
  if (!hasBody(request)) return finish(deps, repoRequest, upload.parts, digest, upload);
  checkOffset(request, upload);
  await checkSpace(deps, request);
  const last = await deps.storage.writePart(request.chunks());
  return finish(deps, repoRequest, [...upload.parts, last], digest, upload);
}

/** How much of an upload has arrived. */
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
  const { parts } = await ownUpload(deps, repoRequest, id);
  await deps.engine.store.write((tx) => deleteUpload(tx, id));
  await deps.storage.removeParts(parts);
  return { status: 204, headers: {}, body: "" };
}

/** Links the blob of another repository, if the caller may pull it there. Otherwise it is as if it did not exist. */
async function mountBlob(
  { engine, authorizer }: ServeDeps,
  repoRequest: RepoRequest,
  digest: string,
  from: string,
): Promise<boolean> {
  if (!isDigest(digest) || !isRepositoryName(from)) return false;
  const { caller, time } = repoRequest;
  const source = await authorizer.authorize(caller, from, "pull").catch(() => undefined);
  const repo = source?.repo;
  if (repo === undefined) return false;
  return engine.store.write(async (tx) => {
    if ((await findBlob(tx, repo, digest)) === undefined) return false;
    await linkBlob(tx, await repoOfPush(engine, tx, repoRequest), digest, time);
    return true;
  });
}

/** Stores the parts as a blob and links it. After an error the upload is as it was. */
async function finish(
  { engine, storage }: ServeDeps,
  repoRequest: RepoRequest,
  parts: readonly Part[],
  digest: string,
  upload?: Upload,
): Promise<HttpResponse> {
  const { name, time } = repoRequest;
  const added = upload === undefined ? parts : parts.slice(upload.parts.length);
  try {
    if (!(await storage.store(parts, digest))) {
      throw new RegistryFault("DIGEST_INVALID", `the content has another digest than ${digest}`);
    }
    const size = parts.reduce((sum, part) => sum + part.size, 0);
    await engine.store.write(async (tx) => {
      if (upload !== undefined && !(await deleteUpload(tx, upload.id))) throw unknownUpload();
      await addBlob(tx, { digest, size }, time);
      await linkBlob(tx, await repoOfPush(engine, tx, repoRequest), digest, time);
    });
  } catch (error) {
    await storage.removeParts(added);
    throw error;
  }
  await storage.removeParts(parts);
  return created(name, digest);
}

/** Uploads of others look as if they did not exist. */
async function ownUpload(
  { engine }: ServeDeps,
  { name, caller }: RepoRequest,
  id: string,
): Promise<Upload> {
  const upload = await findUpload(engine.store.reader, id);
  if (upload?.path === name && upload.actor === caller.caller.uid) return upload;
  throw unknownUpload();
}

function unknownUpload(): RegistryFault {
  return new RegistryFault("BLOB_UPLOAD_UNKNOWN", "there is no such upload: begin another one");
}

const CONTENT_RANGE = /^(?:bytes )?(\d+)-(\d+)(?:\/(?:\d+|\*))?$/;

/** A chunk with a range must follow what has arrived, and be as long as its range. */
function checkOffset({ headers }: HttpRequest, upload: Upload): void {
  const header = headers["content-range"];
  if (header === undefined) return;
  const [, start, end] = CONTENT_RANGE.exec(header) ?? [];
  if (start === undefined) {
    throw new RegistryFault("BLOB_UPLOAD_INVALID", "Content-Range must be START-END");
  }
  if (Number(start) !== upload.size) throw outOfOrder(upload);
  const length = headers["content-length"];
  if (length !== undefined && Number(length) !== Number(end) - Number(start) + 1) {
    throw new RegistryFault("SIZE_INVALID", "Content-Range and Content-Length differ");
  }
}

function outOfOrder(upload: Upload): RegistryFault {
  const text = `the next chunk begins at ${upload.size}`;
  return new RegistryFault("RANGE_INVALID", text, progressHeaders(upload));
}

/** Refuses what would leave too little of the disk to the database. */
async function checkSpace(
  { storage, minFreeBytes }: ServeDeps,
  { headers }: HttpRequest,
): Promise<void> {
  const length = Number(headers["content-length"] ?? 0);
  if ((await storage.freeBytes()) - length >= minFreeBytes) return;
  const text = "the disk of the registry is full: pushes are refused, pulls go on";
  throw new HttpFault(new WharfError("RESOURCE_EXHAUSTED", text), 507);
}

function hasBody({ headers }: HttpRequest): boolean {
  return Number(headers["content-length"] ?? 0) > 0 || headers["transfer-encoding"] !== undefined;
}

function progress(status: number, upload: Upload): HttpResponse {
  return { status, headers: progressHeaders(upload), body: "" };
}

function progressHeaders({ id, path, size }: Upload): Record<string, string> {
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
