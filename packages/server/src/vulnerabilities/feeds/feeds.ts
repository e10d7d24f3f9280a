/**
 * Feeds: read-only files of a group's advisories over HTTP, in the formats of the advisories package. It may
 * import wire, auth and the advisory resource, but nothing that writes.
 */
import { tmpdir } from "node:os";
import type { Publication } from "@wharf/advisories/publish";
import { ANONYMOUS } from "../../auth/caller.ts";
import { notFound, WharfError } from "../../lib/errors.ts";
import { clientNetwork } from "../../lib/net/client-network.ts";
import type { HttpEndpoint, HttpRequest, HttpResponse } from "../../wire/endpoint.ts";
import { HttpFault } from "../../wire/http/http.ts";
import { cancelBody } from "../../wire/http/stream.ts";
import { namingOf } from "../naming.ts";
import { type FeedAccess, feedGroup } from "./access.ts";
import { ArchiveCache } from "./archive-cache.ts";
import { FeedExports } from "./exports.ts";
import { type FeedContent, feedFile } from "./files.ts";
import { alwaysExists, isArchive, isExport, isOfKey, readFeedPath } from "./path.ts";
import { FeedReader } from "./reader.ts";
import type { FeedSigner } from "./signer.ts";
import { type FeedState, feedState, isNotModified, stateHeaders } from "./state.ts";

const PREFIX = "/feeds/";

/** Scanners poll about once a day; five minutes absorb bursts. */
const PUBLIC = "public, max-age=300";

/** Only for the client's cache, which must revalidate. */
const PRIVATE = "private, no-cache";

/** The advisory feeds of groups that scanners read: OSV, OpenVEX, CSAF and secdb. */
export function feedEndpoints(access: FeedAccess, signer: FeedSigner | undefined): HttpEndpoint[] {
  const { data, databaseUrl } = access.settings;
  const deps = {
    access,
    signer,
    exports: new FeedExports(),
    // Servers on PostgreSQL need no data directory.
    archives: new ArchiveCache(databaseUrl === "" ? data : tmpdir()),
  };
  const handle = (request: HttpRequest) => respond(deps, request);
  return [{ method: "GET", path: PREFIX, prefix: true, handle }];
}

/** Clients that send passwords only after a 401 need the challenge of Basic. */
const CHALLENGES = 'Bearer, Basic realm="feeds"';

function withChallenge(thrown: unknown): never {
  const error = WharfError.from(thrown);
  if (error.code !== "UNAUTHENTICATED") throw error;
  throw new HttpFault(error, error.httpStatus, { "www-authenticate": CHALLENGES });
}

interface FeedDeps {
  readonly access: FeedAccess;
  readonly signer: FeedSigner | undefined;
  readonly exports: FeedExports;
  readonly archives: ArchiveCache;
}

async function respond(
  { access, signer, exports, archives }: FeedDeps,
  request: HttpRequest,
): Promise<HttpResponse> {
  const path = readFeedPath(request.path.slice(PREFIX.length));
  if (path === undefined) throw notFound("Feed", request.path);
  const { group, isPublic } = await feedGroup(
    access,
    path.group,
    request.headers.authorization,
  ).catch(withChallenge);
  const { baseUrl } = access.addresses();
  const publication: Publication = {
    publisher: group.name,
    namespace: baseUrl,
    url: `${baseUrl}${PREFIX}${path.group}`,
    ...namingOf(access),
    isPublic,
    ...(signer === undefined ? {} : { openpgpFingerprint: signer.fingerprint }),
  };
  const key = isOfKey(path.file) ? signer?.publicKey : undefined;
  const state = await feedState(access, group, publication, request.path, key);
  const now = Date.now();
  const headers = {
    ...stateHeaders(state, now),
    "cache-control": isPublic ? PUBLIC : PRIVATE,
  };
  const unchanged: HttpResponse = { status: 304, headers, body: "" };
  const isUnchanged = isNotModified(request.headers, state, now);
  if (isUnchanged && alwaysExists(path.file)) return unchanged;
  const { remoteAddress } = request;
  const network = clientNetwork(remoteAddress);
  const reader = new FeedReader(
    access,
    group.uid,
    access.lists.task({ caller: ANONYMOUS, remoteAddress }),
  );
  const file = async () => {
    // An export may have waited for others.
    if (request.abandoned !== undefined) throw request.abandoned;
    const make = () => feedFile(path.file, { reader, publication, changed: state.changed, signer });
    return isArchive(path.file) ? cachedArchive(archives, group.uid, state, make) : make();
  };
  const isBounded = isExport(path.file) && request.method !== "HEAD";
  const content = await (isBounded ? exports.create(network, file) : file());
  if (content === undefined) throw notFound("Feed", request.path);
  if (content.location !== undefined) {
    // Not permanent: an advisory has a document of its own again once its record no longer applies. A relative
    // location stays at the host that the client sends its credentials to.
    const { "cache-control": cache } = headers;
    return {
      status: 302,
      headers: { location: content.location, "cache-control": cache },
      body: "",
    };
  }
  if (isUnchanged) {
    // Opened only to check that it exists: until canceled, it counts as an export.
    cancelBody(content.body);
    return unchanged;
  }
  return {
    status: 200,
    headers: {
      ...headers,
      "content-type": content.type,
      ...(content.bytes !== undefined && { "content-length": content.bytes }),
    },
    body: content.body,
  };
}

/**
 * The cached archive of a state, or one that is cached as it is read. Bodies are generated lazily: that of a cached one
 * never.
 */
async function cachedArchive(
  archives: ArchiveCache,
  group: string,
  { etag, changed }: FeedState,
  make: () => Promise<FeedContent | undefined>,
): Promise<FeedContent | undefined> {
  const content = await make();
  if (content === undefined || !(Symbol.asyncIterator in Object(content.body))) return content;
  const key = { state: `${etag} ${changed}`, group };
  const kept = archives.open(key);
  if (kept !== undefined) return { ...content, body: kept.content, bytes: kept.bytes };
  const chunks = content.body as AsyncIterable<string | Uint8Array>;
  return { ...content, body: archives.caching(key, chunks) };
}
