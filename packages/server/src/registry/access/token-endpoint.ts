import { invalidArgument, WharfError } from "../../lib/errors.ts";
import { registryHosts } from "../../sts/audiences.ts";
import type { AuditedSubject } from "../../sts/authorize-subject.ts";
import type { HttpEndpoint, HttpRequest, HttpResponse } from "../../wire/endpoint.ts";
import { readParameters } from "../../wire/parameters.ts";
import { recordGrant, recordRefusal, scopeText, type TokenRequest } from "./access-audit.ts";
import {
  bearerOf,
  type CredentialParts,
  type Credentials,
  passwordOf,
  readAuthorization,
} from "./credentials.ts";
import { registryError } from "./errors.ts";
import type { RegistryKeys } from "./keys.ts";
import { grant } from "./registry-access.ts";
import { readScopes } from "./scope.ts";
import { issueRegistryToken } from "./token.ts";

/** What the endpoint works with. */
export interface TokenEndpointParts extends CredentialParts {
  readonly keys: RegistryKeys;
}

/** The realms that registries may send their clients to. */
const PATHS = ["/token", "/registry/token"];

/** A form holds one token, and the names of some repositories. */
const MOST_BYTES = 64 * 1024;

/**
 * Where clients of a registry get the tokens that the registry asks for: by GET, as all of them do, and
 * by POST, as those do that know OAuth 2.
 *
 * @example await openPort({ …, endpoints: [...tokenEndpoints(parts)] });
 */
export function tokenEndpoints(parts: TokenEndpointParts): HttpEndpoint[] {
  return PATHS.flatMap((path) => [
    { method: "GET", path, handle: (request) => answer(parts, request, readQuery) },
    { method: "POST", path, handle: (request) => answer(parts, request, readForm) },
  ]);
}

interface Asked {
  readonly parameters: URLSearchParams;
  /** Thrown only after it is known what the credentials were for: the audit tells. */
  credentials(): Credentials;
}

type Read = (request: HttpRequest) => Promise<Asked>;

const readQuery: Read = async ({ query, headers }) => ({
  parameters: new URLSearchParams(query),
  credentials: () => readAuthorization(headers.authorization),
});

const readForm: Read = async (request) => {
  const form = readParameters(await request.body(MOST_BYTES));
  return { parameters: form, credentials: () => formCredentials(form, request) };
};

function formCredentials(form: URLSearchParams, { headers }: HttpRequest): Credentials {
  const type = form.get("grant_type");
  if (type === "password")
    return passwordOf(form.get("username") ?? "", form.get("password") ?? "");
  // What Docker calls an identity token, and keeps in place of a password.
  if (type === "refresh_token") return passwordOf("_token", form.get("refresh_token") ?? "");
  if (type === null && headers.authorization) return readAuthorization(headers.authorization);
  const description = "grant_type must be password or refresh_token";
  throw invalidArgument({ field: "grant_type", description });
}

async function answer(
  parts: TokenEndpointParts,
  request: HttpRequest,
  read: Read,
): Promise<HttpResponse> {
  const { engine, settings, addresses } = parts.exchange;
  const { baseUrl, authUrl } = addresses();
  const time = Date.now();
  let asked: TokenRequest | undefined;
  try {
    const { parameters, credentials } = await read(request);
    const service = serviceOf(parameters, registryHosts(settings, baseUrl));
    const texts = parameters.getAll("scope");
    const scopes = readScopes(texts);
    const seen: AuditedSubject = { identity: "" };
    asked = { request, time, service, scopes: texts, credentials: { kind: "none" }, seen };
    asked = { ...asked, credentials: credentials() };
    const bearer = await bearerOf(parts, asked.credentials, service, time, seen);
    const granted = await grant(engine, bearer, scopes);
    const { uid: subject, expires } = bearer;
    const content = { issuer: authUrl, service, subject, access: granted.access, expires };
    const { token, seconds } = issueRegistryToken(await parts.keys.current(), content, time);
    await recordGrant(engine, asked, bearer, granted);
    return tokenResponse(token, seconds, time, granted.access.map(scopeText));
  } catch (thrown) {
    const error = WharfError.from(thrown);
    if (asked !== undefined && REFUSALS.has(error.code)) await recordRefusal(engine, asked, error);
    return registryError(error, `${authUrl}/token`);
  }
}

/** What is about the credentials, not about the request. */
const REFUSALS = new Set(["UNAUTHENTICATED", "PERMISSION_DENIED", "UNAVAILABLE"]);

/** The registry that a token is asked for; the first of ours where none is named. */
function serviceOf(parameters: URLSearchParams, hosts: readonly string[]): string {
  const service = parameters.get("service") || (hosts[0] as string);
  if (hosts.includes(service)) return service;
  const description = `${JSON.stringify(service)} is not a registry of this installation`;
  throw invalidArgument({ field: "service", description });
}

/** Under both names that clients read it by. */
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
