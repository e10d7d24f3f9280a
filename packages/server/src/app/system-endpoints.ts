import { create } from "@bufbuild/protobuf";
import { PingResponseSchema, PingService } from "@wharf/contract";
import type { SigningKeys } from "../auth/keys.ts";
import type { Addresses } from "../config/addresses.ts";
import { BUILD, VERSION } from "../lib/version.ts";
import { DEVICE_CODE } from "../login/oauth/oauth-grants.ts";
import { OPENID_SCOPES } from "../login/oauth/request.ts";
import { TOKEN_EXCHANGE } from "../login/oauth/token-exchange-grant.ts";
import { CLAIMS, USERINFO_PATH } from "../login/oauth/userinfo.ts";
import type { Metrics } from "../observe/metrics.ts";
import type { NotReady, Readiness } from "../observe/readiness.ts";
import type { Handler } from "../rpc/call.ts";
import { messageReply } from "../rpc/reply.ts";
import type { Api } from "../wire/api.ts";
import type { HttpEndpoint, HttpResponse } from "../wire/endpoint.ts";

const JWKS_PATH = "/.well-known/jwks.json";

const ISSUER_METADATA_PATHS = [
  "/.well-known/openid-configuration",
  "/.well-known/oauth-authorization-server",
];

export const RESOURCE_METADATA_PATH = "/.well-known/oauth-protected-resource";

/** Verifiers reload the key set on an unknown key id, so a few minutes of caching are safe. */
const CACHE_CONTROL = "public, max-age=300";

export interface SystemEndpointDeps {
  addresses(): Addresses;
  readonly keys: SigningKeys;
  /** The metrics of the whole server; undefined if they are served elsewhere. */
  readonly scrape: (() => ReturnType<Metrics["text"]>) | undefined;
  readonly readiness: Readiness;
}

/**
 * Registers Ping, and the endpoints outside the contract: health, readiness, version, metrics, OpenID discovery and
 * the JSON Web Key Set.
 */
export function registerSystem(api: Api, deps: SystemEndpointDeps): void {
  api.handlers.bind(PingService.method.ping, ping);
  api.addEndpoints(() => systemEndpoints(deps));
}

const ping: Handler = async () =>
  messageReply(PingResponseSchema, create(PingResponseSchema, { response: "pong" }));

function systemEndpoints({
  addresses,
  keys,
  scrape,
  readiness,
}: SystemEndpointDeps): HttpEndpoint[] {
  const get = (path: string, handle: () => Promise<HttpResponse>): HttpEndpoint => ({
    method: "GET",
    path,
    handle,
  });
  const probe = (path: string, handle: () => Promise<HttpResponse>): HttpEndpoint => ({
    ...get(path, handle),
    isProbe: true,
  });
  return [
    probe("/healthz", async () => text(200, "ok")),
    probe("/readyz", async () => {
      const { problem } = readiness;
      return problem === undefined ? text(200, "ok") : notReady(problem);
    }),
    get("/version", async () => json(200, { version: VERSION, ...BUILD })),
    ...(scrape === undefined
      ? []
      : [
          probe("/metrics", async () => {
            const { contentType, body } = await scrape();
            return { status: 200, headers: { "content-type": contentType }, body };
          }),
        ]),
    ...ISSUER_METADATA_PATHS.map((path) =>
      get(path, async () => published(issuerMetadata(addresses(), keys))),
    ),
    get(RESOURCE_METADATA_PATH, async () => published(resourceMetadata(addresses()))),
    get(JWKS_PATH, async () => {
      // Rare requests, often because of a key that was just created.
      await keys.reload();
      return published(keys.jwks(Date.now()));
    }),
  ];
}

/** OpenID Connect Discovery 1.0 and RFC 8414 have the same members. */
function issuerMetadata({ authUrl }: Addresses, { algorithms }: SigningKeys): object {
  return {
    issuer: authUrl,
    authorization_endpoint: `${authUrl}/oauth`,
    token_endpoint: `${authUrl}/oauth/token`,
    userinfo_endpoint: `${authUrl}${USERINFO_PATH}`,
    device_authorization_endpoint: `${authUrl}/oauth/device_authorization`,
    grant_types_supported: ["authorization_code", "refresh_token", DEVICE_CODE, TOKEN_EXCHANGE],
    code_challenge_methods_supported: ["S256"],
    authorization_response_iss_parameter_supported: true,
    token_endpoint_auth_methods_supported: ["none"],
    jwks_uri: `${authUrl}${JWKS_PATH}`,
    id_token_signing_alg_values_supported: algorithms,
    response_types_supported: ["code"],
    response_modes_supported: ["query"],
    subject_types_supported: ["public"],
    scopes_supported: OPENID_SCOPES,
    claims_supported: CLAIMS,
    // The default is true.
    request_uri_parameter_supported: false,
  };
}

/** RFC 9728: where clients of the API get their tokens. */
function resourceMetadata({ baseUrl, authUrl }: Addresses): object {
  return {
    resource: baseUrl,
    authorization_servers: [authUrl],
    bearer_methods_supported: ["header"],
    resource_documentation: `${baseUrl}/docs/`,
  };
}

function text(status: number, body: string): HttpResponse {
  return { status, headers: { "content-type": "text/plain; charset=utf-8" }, body: `${body}\n` };
}

/** Why load balancers should not route requests here. */
function notReady({ reason, message }: NotReady): HttpResponse {
  return json(503, { status: "not_ready", reason, message });
}

/** The state of this process, which no cache may keep. */
function json(status: number, document: object): HttpResponse {
  const headers = { "content-type": "application/json", "cache-control": "no-store" };
  return { status, headers, body: `${JSON.stringify(document)}\n` };
}

function published(document: object): HttpResponse {
  return {
    status: 200,
    headers: { "content-type": "application/json", "cache-control": CACHE_CONTROL },
    body: JSON.stringify(document),
  };
}
