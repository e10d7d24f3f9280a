import type { ScimRow } from "../store/tables/scim/resources.ts";
import type { HttpEndpoint, HttpRequest, HttpResponse } from "../wire/endpoint.ts";
import { authenticate } from "./authenticate.ts";
import { discover } from "./protocol/discovery.ts";
import { badRequest, errorResponse, ScimError } from "./protocol/errors.ts";
import { versionOf } from "./protocol/representation.ts";
import { KINDS, type ScimKind } from "./protocol/schemas.ts";
import { type Json, objectOf } from "./protocol/values.ts";
import { findOne, list, present, projectionParametersOf } from "./reads.ts";
import { endpointUrl, type ScimDeps } from "./status.ts";
import { WriteLimiter } from "./write-limit.ts";
import {
  createOne,
  deleteOne,
  matchesVersion,
  patchOne,
  replaceOne,
  type WriteContext,
} from "./writes.ts";

/** The prefix of the endpoints; the uid of the identity provider follows. */
const PREFIX = "/scim/v2/";

const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE"];

/** Enough for a group with a few thousand members. */
const MAX_BODY_BYTES = 256 * 1024;

const MEDIA_TYPE = "application/scim+json";

/** All paths: provider, collection, id. */
const PATH =
  /^\/scim\/v2\/(?<provider>[0-9a-f]{40}(?:\/[0-9a-f]{16})+)(?:\/(?<collection>[A-Za-z]+)(?:\/(?<id>[^/]+))?)?\/?$/;

/** The SCIM endpoints at which identity providers provision users and groups. */
export function scimEndpoints(deps: ScimDeps): HttpEndpoint[] {
  const limit = new WriteLimiter(deps.writesPerMinute, deps.limits);
  return METHODS.map((method) => ({
    method,
    path: PREFIX,
    prefix: true,
    async handle(request) {
      try {
        return await answer(deps, limit, request);
      } catch (thrown) {
        return errorResponse(thrown);
      }
    },
  }));
}

/** An authenticated request. */
interface ScimRequest {
  readonly deps: ScimDeps;
  readonly request: HttpRequest;
  readonly provider: string;
  readonly kind: ScimKind;
  readonly id: string;
  readonly query: URLSearchParams;
  readonly now: number;
}

async function answer(
  deps: ScimDeps,
  limit: WriteLimiter,
  request: HttpRequest,
): Promise<HttpResponse> {
  const { provider, collection = "", id: rawId = "" } = PATH.exec(request.path)?.groups ?? {};
  if (provider === undefined) throw new ScimError(404, "no resource at this path");
  const now = Date.now();
  await authenticate(deps.store, provider, request.headers.authorization, now);
  const isRead = request.method === "GET" || request.method === "HEAD";
  if (!isRead) await limit.take(provider, request.remoteAddress);
  const id = decoded(rawId);
  const query = new URLSearchParams(request.query);
  const kind = KINDS.find((one) => one.collection === collection);
  if (kind !== undefined) {
    const scim = { deps, request, provider, kind, id, query, now };
    return isRead ? read(scim) : write(scim);
  }
  const document = discover(collection, id, endpointUrl(deps, provider));
  if (document === undefined) throw new ScimError(404, "no resource at this path");
  if (!isRead) throw methodNotAllowed(request);
  return ok(200, document);
}

function decoded(text: string): string {
  let id: string;
  try {
    id = decodeURIComponent(text);
  } catch {
    throw badRequest("invalidPath", "the path has malformed percent-encoding");
  }
  // PostgreSQL cannot store NUL in text.
  if (id.includes("\0")) throw badRequest("invalidPath", "the path must not contain NUL");
  return id;
}

async function read(scim: ScimRequest): Promise<HttpResponse> {
  const { deps, request, provider, kind, id, query } = scim;
  if (id === "") return ok(200, await list(deps, kind, provider, query, request));
  const row = await findOne(deps, kind, provider, id);
  const known = request.headers["if-none-match"];
  if (known !== undefined && matchesVersion(known, row))
    return { status: 304, headers: { etag: versionOf(row) }, body: "" };
  return one(200, scim, row);
}

async function write(scim: ScimRequest): Promise<HttpResponse> {
  const { request, kind, id, query } = scim;
  if ((request.method === "POST") !== (id === "")) throw methodNotAllowed(request);
  switch (request.method) {
    case "POST": {
      const row = await createOne(writeContextOf(scim), kind, await bodyOf(request));
      return one(201, scim, row);
    }
    case "PUT": {
      const row = await replaceOne(writeContextOf(scim), kind, id, await bodyOf(request));
      return one(200, scim, row);
    }
    case "PATCH": {
      const row = await patchOne(writeContextOf(scim), kind, id, await bodyOf(request));
      // A change of one member must not return all members of a large group.
      if (kind.name === "Group" && !query.get("attributes"))
        return { status: 204, headers: { etag: versionOf(row) }, body: "" };
      return one(200, scim, row);
    }
    default:
      await deleteOne(writeContextOf(scim), kind, id);
      return { status: 204, headers: {}, body: "" };
  }
}

function writeContextOf({ deps, request, provider, now }: ScimRequest): WriteContext {
  const { headers, requestId, remoteAddress } = request;
  return {
    ...deps,
    request,
    provider,
    time: now,
    requestId,
    remoteAddress,
    userAgent: headers["user-agent"] ?? "",
    ifMatch: headers["if-match"],
  };
}

async function bodyOf(request: HttpRequest): Promise<Json> {
  const type = request.headers["content-type"]?.split(";", 1)[0]?.trim().toLowerCase();
  if (type !== undefined && type !== MEDIA_TYPE && type !== "application/json")
    throw new ScimError(415, `the content-type must be ${MEDIA_TYPE} or application/json`);
  const bytes = await request.body(MAX_BODY_BYTES);
  try {
    return objectOf(JSON.parse(bytes.toString()), "the body");
  } catch (error) {
    if (error instanceof ScimError) throw error;
    throw badRequest("invalidSyntax", "the body is not valid JSON");
  }
}

function methodNotAllowed({ method }: HttpRequest): ScimError {
  return new ScimError(405, `method ${method} is not allowed at this path`);
}

async function one(status: number, scim: ScimRequest, row: ScimRow): Promise<HttpResponse> {
  const { deps, request, kind, provider, query } = scim;
  const resource = await present(deps, kind, row, projectionParametersOf(query), request);
  const location = `${endpointUrl(deps, provider)}/${kind.collection}/${row.resource}`;
  return ok(status, resource, { etag: versionOf(row), location });
}

function ok(status: number, body: Json, headers = {}): HttpResponse {
  return {
    status,
    headers: { "content-type": MEDIA_TYPE, ...headers },
    body: JSON.stringify(body),
  };
}
