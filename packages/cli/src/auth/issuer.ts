import { createWharf, type Wharf } from "@wharf/client";
import { failed, unauthenticated } from "../errors.ts";
import type { Messages } from "../terminal/messages.ts";
import { version } from "../version.ts";

/** What one asks of an issuer besides its methods. */
export interface Issuer {
  readonly url: string;
  /** Its methods. Without a token: each call brings what it is about. */
  readonly wharf: Wharf;
  /** Asks one of OAuth's endpoints. */
  post(path: string, form: URLSearchParams, signal?: AbortSignal): Promise<OAuthAnswer>;
}

/** An answer of OAuth: what was asked for, or one of its words for why not. */
export type OAuthAnswer =
  | { readonly ok: true; readonly body: Readonly<Record<string, unknown>> }
  | { readonly ok: false; readonly error: string; readonly description: string };

/** No endpoint of an issuer takes longer. */
const TIMEOUT_MS = 20_000;

const USER_AGENT = `wharf/${version()}`;

/** The server that gives tokens. */
export function issuerAt(url: string, { detail }: Pick<Messages, "detail">): Issuer {
  const told = (method: string, address: string, status: number, ms: number) =>
    detail(`${method} ${address} → ${status} in ${ms.toFixed(0)} ms`);
  return {
    url,
    wharf: createWharf({
      baseUrl: url,
      authUrl: url,
      userAgent: USER_AGENT,
      onRequest: (sent) => told(sent.method, sent.url, sent.status, sent.ms),
    }),
    async post(path, form, signal) {
      const begun = performance.now();
      const response = await ask(`${url}${path}`, { method: "POST", body: form }, signal);
      told("POST", `${url}${path}`, response.status, performance.now() - begun);
      const body = await response.json().catch(() => undefined);
      if (typeof body !== "object" || body === null) throw notWharf(url);
      if (response.ok) return { ok: true, body: body as Record<string, unknown> };
      const { error, error_description: description } = body as Record<string, unknown>;
      if (typeof error !== "string") throw notWharf(url);
      return { ok: false, error, description: String(description ?? error) };
    },
  };
}

/**
 * Makes sure that a Wharf answers at the address, under the name that it gives itself: what it puts
 * into tokens and answers is held against that.
 */
export async function checkIssuer(url: string, signal: AbortSignal): Promise<void> {
  const response = await ask(`${url}/.well-known/openid-configuration`, {}, signal);
  const document = (await response.json().catch(() => undefined)) as
    | { issuer?: unknown; device_authorization_endpoint?: unknown }
    | undefined;
  const own = document?.issuer;
  if (!response.ok || typeof own !== "string" || !document?.device_authorization_endpoint) {
    throw notWharf(url);
  }
  if (own !== url) {
    throw failed(`the server at ${url} calls itself ${own}`, `give that one: --issuer ${own}`);
  }
}

async function ask(url: string, init: RequestInit, signal?: AbortSignal): Promise<Response> {
  const timeout = AbortSignal.timeout(TIMEOUT_MS);
  const either = signal === undefined ? timeout : AbortSignal.any([signal, timeout]);
  try {
    // What we send is for this server, not for where it may point to.
    return await fetch(url, {
      ...init,
      headers: { "user-agent": USER_AGENT },
      redirect: "error",
      signal: either,
    });
  } catch (cause) {
    signal?.throwIfAborted();
    const { wharfError } = await import("@wharf/client");
    const { message } =
      (cause as Error).cause instanceof Error
        ? ((cause as Error).cause as Error)
        : (cause as Error);
    throw wharfError("UNAVAILABLE", `${new URL(url).origin} cannot be reached: ${message}`, {
      cause,
    });
  }
}

function notWharf(url: string): Error {
  return failed(
    `what answers at ${url} is not a Wharf server`,
    "check --api, WHARF_API or platform.api in the config file",
  );
}

/** What a refused login is told as. */
export function refusedLogin(description: string): Error {
  return unauthenticated(`the login was refused: ${description}`);
}
