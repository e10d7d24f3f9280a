/** Workload tokens of CI platforms. */
import { wharfError } from "../errors.ts";
import { unreachable } from "../rest/error-response.ts";
import { cachedSource } from "./cached.ts";
import { type TokenSource, withExpiry } from "./source.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/** Environment variables; browsers have none. */
export function environment(): Environment {
  return (globalThis as { process?: { env?: Environment } }).process?.env ?? {};
}

export interface GithubOptions {
  /** The audience of the token. Default: the requested one. */
  readonly audience?: string | undefined;
}

/**
 * The token of a job of GitHub Actions, which needs `permissions: id-token: write`.
 *
 * @example tokens.exchange({ authUrl, identity, from: tokens.githubActions() })
 */
export function githubActions(options: GithubOptions = {}): TokenSource {
  return cachedSource(async ({ audience, signal }) => {
    const address = environment().ACTIONS_ID_TOKEN_REQUEST_URL;
    const secret = environment().ACTIONS_ID_TOKEN_REQUEST_TOKEN;
    if (!address || !secret) {
      throw noToken("this is not a job of GitHub Actions with `permissions: id-token: write`");
    }
    const url = new URL(address);
    const requestedAudience = options.audience ?? audience;
    if (requestedAudience !== undefined) url.searchParams.set("audience", requestedAudience);
    const headers = { authorization: `bearer ${secret}`, accept: "application/json" };
    const answer = await ask(url, { headers, signal, redirect: "error" });
    return withExpiry(answer);
  });
}

async function ask(url: URL, init: RequestInit): Promise<string> {
  let response: Response;
  try {
    response = await fetch(url, init);
  } catch (cause) {
    init.signal?.throwIfAborted();
    throw unreachable(url.origin, cause);
  }
  if (!response.ok) throw noToken(`GitHub responded with ${response.status}`);
  const { value } = (await response.json().catch(() => ({}))) as { value?: unknown };
  if (typeof value !== "string" || value === "") throw noToken("GitHub's response has no token");
  return value;
}

export interface GitlabOptions {
  /** The name in `id_tokens`. Default: WHARF_ID_TOKEN. */
  readonly variable?: string | undefined;
}

export const GITLAB_VARIABLE = "WHARF_ID_TOKEN";

/**
 * The token that `id_tokens` of a GitLab job puts into a variable.
 *
 * @example tokens.exchange({ authUrl, identity, from: tokens.gitlab({ variable: "WHARF_ID_TOKEN" }) })
 */
export function gitlab({ variable = GITLAB_VARIABLE }: GitlabOptions = {}): TokenSource {
  return {
    async get() {
      const token = environment()[variable]?.trim();
      if (!token)
        throw noToken(`the variable ${variable} is empty: add it to id_tokens of the job`);
      return withExpiry(token);
    },
  };
}

/**
 * The error of a source without a token.
 *
 * @example throw noToken("the file is empty");
 */
export function noToken(why: string, cause?: unknown): Error {
  return wharfError("UNAUTHENTICATED", `Unauthenticated: no token: ${why}`, { cause });
}
