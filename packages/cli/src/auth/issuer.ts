import { createWharf, type TokenSource, type Wharf, wharfError } from "@wharf/client";
import { httpTransport } from "@wharf/client/node/http";
import { failed, unauthenticated } from "../errors.ts";
import { keepingSchemas } from "../output/schemas.ts";
import type { Messages } from "../terminal/terminal.ts";
import { version } from "../version.ts";
import type { Login } from "./cache/login.ts";

/** The server that issues tokens. */
export interface Issuer {
  readonly url: string;
  /** A client without a token: each call brings its own. */
  readonly wharf: Wharf;
  /** Calls an OAuth endpoint. */
  post(path: string, form: URLSearchParams, signal?: AbortSignal): Promise<OAuthResponse>;
}

export type OAuthResponse =
  | { readonly ok: true; readonly body: Readonly<Record<string, unknown>> }
  | { readonly ok: false; readonly error: string; readonly description: string };

const TIMEOUT_MS = 20_000;

const USER_AGENT = `wharf/${version()}`;

export function issuerAt(url: string, { detail }: Pick<Messages, "detail">): Issuer {
  const log = (method: string, address: string, status: number, ms: number) =>
    detail(`${method} ${address} → ${status} in ${ms.toFixed(0)} ms`);
  return {
    url,
    wharf: createWharf({
      transport: keepingSchemas(httpTransport()),
      baseUrl: url,
      authUrl: url,
      userAgent: USER_AGENT,
      onRequest: (sent) => log(sent.method, sent.url, sent.status, sent.ms),
    }),
    async post(path, form, signal) {
      const started = performance.now();
      const response = await request(`${url}${path}`, { method: "POST", body: form }, signal);
      log("POST", `${url}${path}`, response.status, performance.now() - started);
      const body = await response.json().catch(() => undefined);
      if (typeof body !== "object" || body === null) throw notWharf(url);
      if (response.ok) return { ok: true, body: body as Record<string, unknown> };
      const { error, error_description: description } = body as Record<string, unknown>;
      if (typeof error !== "string") throw notWharf(url);
      return { ok: false, error, description: String(description ?? error) };
    },
  };
}

/** A client for the API of a stored login, which need not be the API of this command. */
export function clientFor(
  { api, issuer }: Pick<Login, "api" | "issuer">,
  token: TokenSource,
  { detail }: Pick<Messages, "detail">,
): Wharf {
  return createWharf({
    transport: keepingSchemas(httpTransport()),
    baseUrl: api,
    authUrl: issuer,
    token,
    userAgent: USER_AGENT,
    onRequest: ({ method, url, status, ms }) =>
      detail(`${method} ${url} → ${status} in ${ms.toFixed(0)} ms (Authorization: Bearer ****)`),
  });
}

/** Checks that the URL is a Wharf server with this issuer, which tokens and responses must name. */
export async function checkIssuer(url: string, signal: AbortSignal): Promise<void> {
  const response = await request(`${url}/.well-known/openid-configuration`, {}, signal);
  const document = (await response.json().catch(() => undefined)) as
    | { issuer?: unknown; device_authorization_endpoint?: unknown }
    | undefined;
  const issuer = document?.issuer;
  if (!response.ok || typeof issuer !== "string" || !document?.device_authorization_endpoint) {
    throw notWharf(url);
  }
  if (issuer !== url) {
    throw failed(`the issuer of the server at ${url} is ${issuer}`, `use --issuer ${issuer}`);
  }
}

async function request(url: string, init: RequestInit, signal?: AbortSignal): Promise<Response> {
  const timeout = AbortSignal.timeout(TIMEOUT_MS);
  const either = signal === undefined ? timeout : AbortSignal.any([signal, timeout]);
  try {
    // Credentials must not be sent to where a redirect points.
    return await fetch(url, {
      ...init,
      headers: { "user-agent": USER_AGENT },
      redirect: "error",
      signal: either,
    });
  } catch (cause) {
    signal?.throwIfAborted();
    const { cause: inner } = cause as Error;
    const { message } = inner instanceof Error ? inner : (cause as Error);
    throw wharfError("UNAVAILABLE", `${new URL(url).origin} cannot be reached: ${message}`, {
      cause,
    });
  }
}

function notWharf(url: string): Error {
  return failed(
    `${url} is not a Wharf server`,
    "check --api, WHARF_API or platform.api in the config file",
  );
}

export function signInRejected(description: string): Error {
  return unauthenticated(`sign-in rejected: ${description}`);
}
