import { WharfError } from "../../lib/errors.ts";
import { findBlob, lockBlob, renewLease, unlinkBlob } from "../../store/tables/registry/blobs.ts";
import { isReferred } from "../../store/tables/registry/manifests.ts";
import type { HttpResponse } from "../../wire/endpoint.ts";
import { RegistryFault } from "../access/errors.ts";
import type { ByteRange } from "../storage/content-storage.ts";
import type { RepoRequest, ServeDeps } from "./deps.ts";
import { confirmAccess } from "./repo-writes.ts";

/** A blob, or a range of it; only its size for HEAD. */
export async function getBlob(
  deps: ServeDeps,
  repoRequest: RepoRequest,
  digest: string,
): Promise<HttpResponse> {
  const {
    request,
    path: { repo },
    time,
  } = repoRequest;
  const { storage, store, log, mirrors, times } = deps;
  const blob = repo === undefined ? undefined : await findBlob(store.reader, repo, digest);
  if (blob === undefined || blob.damaged > 0) {
    const mirrored = await mirrors.blob(repoRequest, digest);
    if (mirrored !== undefined) return mirrored;
  }
  if (repo === undefined || blob === undefined) throw unknownBlob(digest);
  if (blob.damaged > 0) throw damagedBlob(request.method, digest);
  const headers = { ...blobHeaders(digest), "accept-ranges": "bytes" };
  if (request.method === "HEAD") {
    // The client does not upload what is here: it must not be collected before its manifest arrives.
    const { leaseMs } = times;
    const isKept =
      blob.leased >= time + leaseMs / 2 ||
      (await store.write((tx) => renewLease(tx, repo, digest, time + leaseMs)));
    if (!isKept) throw unknownBlob(digest);
    return { status: 200, headers: { ...headers, "content-length": blob.size }, body: "" };
  }
  if (request.headers["if-none-match"] === headers.etag) return { status: 304, headers, body: "" };
  const range = readRange(request.headers.range, blob.size);
  const body = await storage.read(blob, range);
  if (body === undefined) {
    // It may have been collected since its row was read.
    if ((await findBlob(store.reader, repo, digest)) === undefined) throw unknownBlob(digest);
    log.error({ digest, repo }, "the content of a blob is missing, or has another size");
    throw damagedBlob(request.method, digest);
  }
  if (range === undefined)
    return { status: 200, headers: { ...headers, "content-length": blob.size }, body };
  const { start, end } = range;
  const partial = {
    "content-length": end - start + 1,
    "content-range": `bytes ${start}-${end}/${blob.size}`,
  };
  return { status: 206, headers: { ...headers, ...partial }, body };
}

/** The headers of every blob. */
export function blobHeaders(digest: string) {
  return {
    "content-type": "application/octet-stream",
    "docker-content-digest": digest,
    etag: `"${digest}"`,
  };
}

/** Removes a blob from a repo; other repos keep it. */
export async function deleteBlob(
  deps: ServeDeps,
  repoRequest: RepoRequest,
  digest: string,
): Promise<HttpResponse> {
  const { repo } = repoRequest.path;
  if (repo === undefined) throw unknownBlob(digest);
  await deps.store.write(async (tx) => {
    await confirmAccess(deps, tx, repoRequest, "delete");
    // A push whose manifest refers to it keeps it until its transaction ends.
    await lockBlob(tx, digest);
    if (await isReferred(tx, repo, digest)) {
      const text = "a manifest of the repository refers to the blob: delete that first";
      throw new RegistryFault("UNSUPPORTED", text);
    }
    if (!(await unlinkBlob(tx, repo, digest))) throw unknownBlob(digest);
  });
  return { status: 202, headers: {}, body: "" };
}

/** Clients that ask with HEAD whether to upload a blob are to upload it again, which repairs it. */
function damagedBlob(method: string, digest: string): WharfError {
  if (method === "HEAD") return unknownBlob(digest);
  const text = `the stored content of ${digest} is damaged: push the image again to repair it`;
  return new WharfError("DATA_LOSS", text);
}

export function unknownBlob(digest: string): RegistryFault {
  return new RegistryFault("BLOB_UNKNOWN", `the repository has no blob ${digest}`);
}

const RANGE = /^bytes=(\d*)-(\d*)$/;

/** The range that a client asks for (RFC 9110); undefined for all of it, also for forms that are not supported. */
function readRange(header: string | undefined, size: number): ByteRange | undefined {
  const [, first = "", last = ""] = RANGE.exec(header ?? "") ?? [];
  if (first === "" && last === "") return undefined;
  const start = first === "" ? Math.max(0, size - Number(last)) : Number(first);
  const end = first === "" || last === "" ? size - 1 : Math.min(Number(last), size - 1);
  if (start <= end) return { start, end };
  // A syntactically invalid range is ignored.
  if (first !== "" && last !== "" && Number(last) < Number(first)) return undefined;
  throw new RegistryFault("RANGE_INVALID", "the range is outside of the blob", {
    "content-range": `bytes */${size}`,
  });
}
