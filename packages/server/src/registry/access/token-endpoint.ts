import { invalidArgument, WharfError } from "../../lib/errors.ts";
import { ownService, registryHosts } from "../../sts/audiences.ts";
import type { AuditedSubject } from "../../sts/authorize-subject.ts";
import type { HttpEndpoint, HttpRequest, HttpResponse } from "../../wire/endpoint.ts";
import { readParameters } from "../../wire/http/parameters.ts";
import { auditGrant, auditRejection, scopeText, type TokenRequest } from "./access-audit.ts";
import {
  authenticate,
  type CredentialDeps,
  type Credentials,
  passwordOf,
  publicGrants,
  readAuthorization,
} from "./credentials.ts";
import { deniedError, textOf } from "./denials.ts";
import { registryError } from "./errors.ts";
import type { RegistryKeys } from "./keys.ts";
import { grantScopes } from "./registry-access.ts";
import { readScopes } from "./scope.ts";
import { issueRegistryToken } from "./token.ts";

export interface TokenEndpointDeps extends CredentialDeps {
  readonly keys: RegistryKeys;
}

/** Registries are configured with one of these as their realm. */
const PATHS = ["/token", "/registry/token"];

/** Enough for a token and the scopes of a request. */
const MAX_BODY_BYTES = 64 * 1024;

/** The token endpoint for registry clients: GET for all of them, POST for those that use OAuth 2. */
export function tokenEndpoints(deps: TokenEndpointDeps): HttpEndpoint[] {
  return PATHS.flatMap((path) => [
    { method: "GET", path, handle: (request) => issueToken(deps, request, readQuery) },
    { method: "POST", path, handle: (request) => issueToken(deps, request, readForm) },
  ]);
}

interface ParsedRequest {
  readonly parameters: URLSearchParams;
  /** Throws for malformed credentials; called after the parameters are read, so that it is audited. */
  credentials(): Credentials;
}

type Parse = (request: HttpRequest) => Promise<ParsedRequest>;

const readQuery: Parse = async ({ query, headers }) => ({
  parameters: new URLSearchParams(query),
  credentials: () => readAuthorization(headers.authorization),
});

const readForm: Parse = async (request) => {
  const form = readParameters(await request.body(MAX_BODY_BYTES));
  return { parameters: form, credentials: () => formCredentials(form, request) };
};

function formCredentials(form: URLSearchParams, { headers }: HttpRequest): Credentials {
  const type = form.get("grant_type");
  if (type === "password")
    return passwordOf(form.get("username") ?? "", form.get("password") ?? "");
  // Docker stores what it calls an identity token in place of a password.
  if (type === "refresh_token") return passwordOf("_token", form.get("refresh_token") ?? "");
  if (type === null && headers.authorization) return readAuthorization(headers.authorization);
  const description = "grant_type must be password or refresh_token";
  throw invalidArgument({ field: "grant_type", description });
}

async function issueToken(
  deps: TokenEndpointDeps,
  request: HttpRequest,
  parse: Parse,
): Promise<HttpResponse> {
  const { exchange } = deps;
  const { settings, addresses, audit } = exchange;
  const { baseUrl, authUrl } = addresses();
  const time = Date.now();
  let tokenRequest: TokenRequest | undefined;
  try {
    const { parameters, credentials } = await parse(request);
    const service = serviceOf(parameters, registryHosts(settings, baseUrl));
    const texts = parameters.getAll("scope");
    const scopes = readScopes(texts);
    const seen: AuditedSubject = { identity: "" };
    tokenRequest = { request, time, service, scopes: texts, credentials: { kind: "none" }, seen };
    tokenRequest = { ...tokenRequest, credentials: credentials() };
    const principal = await authenticate(deps, tokenRequest.credentials, service, time, seen);
    const requester = { ...principal, publicGrants: await publicGrants(deps) };
    const followsRenames = service === ownService(settings, baseUrl);
    const granted = await grantScopes(exchange, requester, scopes, { followsRenames });
    const reason = textOf(granted.denials);
    // Anonymous clients learn from the registry that credentials are required.
    const isAnonymous = tokenRequest.credentials.kind === "none";
    const logged = { reason, ...(isAnonymous ? {} : { caller: principal.uid }) };
    const error = isAnonymous ? undefined : deniedError(granted.denials, granted.access.length > 0);
    if (error !== undefined) {
      await auditGrant(exchange, tokenRequest, principal, { ...granted, access: [] }, error);
      return { ...registryError(error, `${authUrl}/token`), ...logged };
    }
    const { uid: subject, session, expires } = principal;
    const content = { issuer: authUrl, service, subject, session, access: granted.access, expires };
    const { token, seconds } = issueRegistryToken(await deps.keys.current(), content, time);
    await auditGrant(exchange, tokenRequest, principal, granted);
    return { ...tokenResponse(token, seconds, time, granted.access.map(scopeText)), ...logged };
  } catch (thrown) {
    const error = WharfError.from(thrown);
    if (tokenRequest !== undefined && AUDITED_CODES.has(error.code)) {
      await auditRejection(audit, tokenRequest, error);
    }
    return { ...registryError(error, `${authUrl}/token`), reason: error.message };
  }
}

/** Errors of the credentials, not of the request. */
const AUDITED_CODES = new Set(["UNAUTHENTICATED", "PERMISSION_DENIED", "UNAVAILABLE"]);

/** The registry that the token is for; the first of the installation by default. */
function serviceOf(parameters: URLSearchParams, hosts: readonly string[]): string {
  const service = parameters.get("service") || (hosts[0] as string);
  if (hosts.includes(service)) return service;
  const description = `${JSON.stringify(service)} is not a registry of this installation`;
  throw invalidArgument({ field: "service", description });
}

/** Some clients read `token`, others `access_token`. */
function tokenResponse(
  token: string,
  seconds: number,
  time: number,
  scopes: readonly string[],
): HttpResponse {
  const body = {
    token,
    access_token: token,
    expires_in: seconds,
    issued_at: new Date(time).toISOString(),
    scope: scopes.join(" "),
  };
  return {
    status: 200,
    headers: { "content-type": "application/json", "cache-control": "no-store" },
    body: JSON.stringify(body),
  };
}
