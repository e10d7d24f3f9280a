import type { ScimRow } from "../store/tables/scim-resources.ts";
import type { HttpEndpoint, HttpRequest, HttpResponse } from "../wire/endpoint.ts";
import { authenticate } from "./authenticate.ts";
import type { ScimDeps } from "./deps.ts";
import { discover } from "./protocol/discovery.ts";
import { badRequest, errorResponse, ScimError } from "./protocol/errors.ts";
import { versionOf } from "./protocol/representation.ts";
import { KINDS, type ScimKind } from "./protocol/schemas.ts";
import { type Json, objectOf } from "./protocol/values.ts";
import { findOne, list, present, wantedOf } from "./reads.ts";
import { endpointUrl } from "./status.ts";
import { WriteLimit } from "./write-limit.ts";
import {
  createOne,
  deleteOne,
  matchesVersion,
  patchOne,
  replaceOne,
  type Writing,
} from "./writes.ts";

/** Where identity providers provision people. What follows is the uid of the provider. */
const PREFIX = "/scim/v2/";

const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE"];

/** A group with a few thousand members fits. */
const MOST_BYTES = 256 * 1024;

const MEDIA_TYPE = "application/scim+json";

/** Everything of SCIM 2.0 (RFC 7644) that there is a path for: provider, collection, id. */
const PATH =
  /^\/scim\/v2\/(?<provider>[0-9a-f]{40}(?:\/[0-9a-f]{16})+)(?:\/(?<collection>[A-Za-z]+)(?:\/(?<id>[^/]+))?)?\/?$/;

/** The endpoints that identity providers provision users and groups at. */
export function scimEndpoints(deps: ScimDeps): HttpEndpoint[] {
  const limit = new WriteLimit(deps.writesPerMinute);
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

/** A request whose sender is known, taken apart. */
interface Asked {
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
  limit: WriteLimit,
  request: HttpRequest,
): Promise<HttpResponse> {
  const { provider, collection = "", id: rawId = "" } = PATH.exec(request.path)?.groups ?? {};
  if (provider === undefined) throw new ScimError(404, "there is nothing at this path");
  const now = Date.now();
  await authenticate(deps.engine, provider, request.headers.authorization, now);
  const isRead = request.method === "GET" || request.method === "HEAD";
  if (!isRead) limit.take(provider, request.remoteAddress, now);
  const id = decoded(rawId);
  const query = new URLSearchParams(request.query);
  const kind = KINDS.find((one) => one.collection === collection);
  if (kind !== undefined) {
    const asked = { deps, request, provider, kind, id, query, now };
    return isRead ? read(asked) : write(asked);
  }
  const told = discover(collection, id, endpointUrl(deps, provider));
  if (told === undefined) throw new ScimError(404, "there is nothing at this path");
  if (!isRead) throw notHere(request);
  return ok(200, told);
}

function decoded(text: string): string {
  let id: string;
  try {
    id = decodeURIComponent(text);
  } catch {
    throw badRequest("invalidPath", "the path has malformed percent-encoding");
  }
  // PostgreSQL has no texts with it.
  if (id.includes("\0"))
    throw badRequest("invalidPath", "the path must not hold the character NUL");
  return id;
}

async function read(asked: Asked): Promise<HttpResponse> {
  const { deps, request, provider, kind, id, query } = asked;
  if (id === "") return ok(200, await list(deps, kind, provider, query));
  const row = await findOne(deps, kind, provider, id);
  const known = request.headers["if-none-match"];
  if (known !== undefined && matchesVersion(known, row))
    return { status: 304, headers: { etag: versionOf(row) }, body: "" };
  return one(200, asked, row);
}

async function write(asked: Asked): Promise<HttpResponse> {
  const { request, kind, id, query } = asked;
  if ((request.method === "POST") !== (id === "")) throw notHere(request);
  switch (request.method) {
    case "POST": {
      const row = await createOne(writingOf(asked), kind, await bodyOf(request));
      return one(201, asked, row);
    }
    case "PUT": {
      const row = await replaceOne(writingOf(asked), kind, id, await bodyOf(request));
      return one(200, asked, row);
    }
    case "PATCH": {
      const row = await patchOne(writingOf(asked), kind, id, await bodyOf(request));
      // Whoever adds one member to a large group does not want to hear of all the others.
      if (kind.name === "Group" && !query.get("attributes"))
        return { status: 204, headers: { etag: versionOf(row) }, body: "" };
      return one(200, asked, row);
    }
    default:
      await deleteOne(writingOf(asked), kind, id);
      return { status: 204, headers: {}, body: "" };
  }
}

function writingOf({ deps, request, provider, now }: Asked): Writing {
  const { headers, requestId, remoteAddress } = request;
  return {
    engine: deps.engine,
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
  const bytes = await request.body(MOST_BYTES);
  try {
    return objectOf(JSON.parse(bytes.toString()), "the body");
  } catch (error) {
    if (error instanceof ScimError) throw error;
    throw badRequest("invalidSyntax", "the body is not valid JSON");
  }
}

function notHere({ method }: HttpRequest): ScimError {
  return new ScimError(405, `this path does not answer to ${method}`);
}

async function one(status: number, asked: Asked, row: ScimRow): Promise<HttpResponse> {
  const { deps, kind, provider, query } = asked;
  const resource = await present(deps, kind, row, wantedOf(query));
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
