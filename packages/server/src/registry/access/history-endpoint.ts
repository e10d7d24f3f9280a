import { readBearer } from "../../lib/bearer.ts";
import { invalidArgument, notFound, unauthenticated, WharfError } from "../../lib/errors.ts";
import { isoTime } from "../../lib/iso-time.ts";
import { readHistory } from "../../store/tables/registry/tags.ts";
import { registryHosts } from "../../sts/audiences.ts";
import type { HttpEndpoint, HttpRequest, HttpResponse } from "../../wire/endpoint.ts";
import { isRepositoryName, resolvePath } from "../path.ts";
import { authenticate, publicGrants, readAuthorization } from "./credentials.ts";
import { registryError } from "./errors.ts";
import { grantScopes } from "./registry-access.ts";
import { verifyRegistryToken } from "./registry-token.ts";
import type { TokenEndpointDeps } from "./token-endpoint.ts";

/** The paths of registries. */
const PREFIX = "/v2/";

/** The history of a tag: `/v2/<repository>/_chainguard/history/<tag>`. */
const PATH = /^\/v2\/(.+)\/_chainguard\/history\/([\w][\w.-]{0,127})$/;

/** As many as existing clients expect; later ones follow by `start`. */
const MAX_ENTRIES = 1_000;

/** Former names of a repo have its history. */
const FOLLOWING = { followsRenames: true };

/** A date, or a time with an offset, by ISO 8601. */
const TIME = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:?\d\d))?$/;

/**
 * The tag history API of existing registry clients: the digests of a tag, oldest first, for tokens that may pull.
 * Registries do not have it, so a proxy must forward these paths of a registry's host to this server.
 */
export function historyEndpoint(deps: TokenEndpointDeps): HttpEndpoint {
  return { method: "GET", path: PREFIX, prefix: true, handle: (request) => answer(deps, request) };
}

async function answer(deps: TokenEndpointDeps, request: HttpRequest): Promise<HttpResponse> {
  const { addresses, settings } = deps.exchange;
  const { baseUrl, authUrl } = addresses();
  const [, name = "", tag = ""] = PATH.exec(request.path) ?? [];
  try {
    if (!isRepositoryName(name)) throw new WharfError("NOT_FOUND", "no route matches this path");
    await requirePull(deps, request, name);
    return jsonResponse({ history: await historyOf(deps, request, name, tag) });
  } catch (thrown) {
    const response = registryError(thrown, `${authUrl}/token`);
    if (response.status !== 401) return response;
    const [service] = registryHosts(settings, baseUrl);
    const challenge = `Bearer realm="${authUrl}/token",service="${service}",scope="repository:${name}:pull"`;
    return { ...response, headers: { ...response.headers, "www-authenticate": challenge } };
  }
}

/** Rejects a request unless its token, or what its credentials hold, allows to pull from the repository. */
async function requirePull(
  deps: TokenEndpointDeps,
  { headers: { authorization, host = "" } }: HttpRequest,
  name: string,
): Promise<void> {
  if (!authorization) throw unauthenticated("a registry token is required");
  const { exchange } = deps;
  const { settings, addresses } = exchange;
  const { baseUrl, authUrl: issuer } = addresses();
  const services = registryHosts(settings, baseUrl);
  const time = Date.now();
  const bearer = readBearer(authorization) ?? "";
  const granted =
    (await verifyRegistryToken(deps.keys, bearer, { issuer, services }, time))?.access ??
    (await grantedByCredentials());
  const isAllowed = granted.some(
    (one) => one.type === "repository" && one.name === name && one.actions.includes("pull"),
  );
  if (!isAllowed) {
    const text = `the token does not allow to pull from ${JSON.stringify(name)}`;
    throw new WharfError("PERMISSION_DENIED", text);
  }

  async function grantedByCredentials() {
    const seen = { identity: "" };
    const credentials = readAuthorization(authorization);
    const service = services.includes(host) ? host : (services[0] as string);
    const principal = await authenticate(deps, credentials, service, time, seen);
    const actions = new Set(["pull"] as const);
    const scope = { type: "repository", name, actions, named: actions } as const;
    const requester = { ...principal, publicGrants: await publicGrants(deps) };
    return (await grantScopes(exchange, requester, [scope], FOLLOWING)).access;
  }
}

async function historyOf(
  { exchange: { store, catalog } }: TokenEndpointDeps,
  { query }: HttpRequest,
  name: string,
  tag: string,
): Promise<{ updateTimestamp: string; digest: string }[]> {
  const parameters = new URLSearchParams(query);
  const [start, end] = ["start", "end"].map((field) => readTime(field, parameters.get(field)));
  const { reader } = store;
  const repo = (await resolvePath(catalog, reader, name, FOLLOWING))?.repo;
  if (repo === undefined) throw notFound("Repo", name);
  const page = { start, end, ascending: true, limit: MAX_ENTRIES };
  const entries = await readHistory(reader, repo, tag, page);
  if (entries.length === 0 && (await readHistory(reader, repo, tag, { limit: 1 })).length === 0) {
    throw notFound("Tag", tag);
  }
  return entries.map(({ time, digest }) => ({ updateTimestamp: isoTime(time), digest }));
}

function readTime(field: string, text: string | null): number | undefined {
  if (text === null || text === "") return undefined;
  // In a query, the plus sign of an offset is read as a space.
  const time = TIME.test(text.replace(" ", "+")) ? Date.parse(text.replace(" ", "+")) : Number.NaN;
  if (!Number.isNaN(time)) return time;
  const description = `${field} must be a time such as 2026-01-31T09:30:00Z`;
  throw invalidArgument({ field, description });
}

function jsonResponse(body: object): HttpResponse {
  return {
    status: 200,
    headers: { "content-type": "application/json", "cache-control": "no-store" },
    body: JSON.stringify(body),
  };
}
