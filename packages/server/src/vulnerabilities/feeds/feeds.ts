import type { Publication } from "@wharf/advisories/publish";
import { clientNetwork } from "../../lib/client-network.ts";
import { notFound } from "../../lib/errors.ts";
import type { HttpEndpoint, HttpRequest, HttpResponse } from "../../wire/endpoint.ts";
import { letGo } from "../../wire/stream-answer.ts";
import { namingOf } from "../naming.ts";
import { type FeedAccess, feedGroup } from "./feed-access.ts";
import { FeedExports } from "./feed-exports.ts";
import { feedFile } from "./feed-files.ts";
import { isAlwaysThere, isLong, readFeedPath } from "./feed-path.ts";
import { FeedReader } from "./feed-reader.ts";
import { feedState, isKnown, stateHeaders } from "./feed-state.ts";

const PREFIX = "/feeds/";

/** Scanners look once a day or so; five minutes keep what is in between from us. */
const PUBLIC_FOR = "public, max-age=300";

/** Kept by whoever asked, and asked for anew each time. */
const PRIVATE = "private, no-cache";

/**
 * The feeds of advisories that scanners read: of each group, in every format.
 *
 * @example await openPort({ …, endpoints: [...feedEndpoints(access)] });
 */
export function feedEndpoints(access: FeedAccess): HttpEndpoint[] {
  const exports = new FeedExports();
  const handle = (request: HttpRequest) => answer(access, exports, request);
  return [{ method: "GET", path: PREFIX, prefix: true, handle }];
}

async function answer(
  access: FeedAccess,
  exports: FeedExports,
  request: HttpRequest,
): Promise<HttpResponse> {
  const path = readFeedPath(request.path.slice(PREFIX.length));
  if (path === undefined) throw notFound("Feed", request.path);
  const { engine } = access;
  const { group, isPublic } = await feedGroup(access, path.group, request.headers.authorization);
  const { baseUrl } = access.addresses();
  const publication: Publication = {
    publisher: group.name,
    namespace: baseUrl,
    url: `${baseUrl}${PREFIX}${path.group}`,
    ...namingOf(access),
    isPublic,
  };
  const state = await feedState(engine, group, publication, request.path);
  const headers = {
    ...stateHeaders(state, Date.now()),
    "cache-control": isPublic ? PUBLIC_FOR : PRIVATE,
  };
  const unchanged: HttpResponse = { status: 304, headers, body: "" };
  const known = isKnown(request.headers, state);
  if (known && isAlwaysThere(path.file)) return unchanged;
  const reader = new FeedReader(engine, group.uid);
  const file = () => feedFile(path.file, { reader, publication, changed: state.changed });
  const isBounded = isLong(path.file) && request.method !== "HEAD";
  const content = await (isBounded
    ? exports.make(clientNetwork(request.remoteAddress), file)
    : file());
  if (content === undefined) throw notFound("Feed", request.path);
  if (known) {
    // Made only to know whether it is there: until it is let go, it keeps others from theirs.
    letGo(content.body);
    return unchanged;
  }
  return {
    status: 200,
    headers: { ...headers, "content-type": content.type },
    body: content.body,
  };
}
