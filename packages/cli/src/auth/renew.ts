import type { Wharf } from "@wharf/client";
import { unauthenticated } from "../errors.ts";
import { problemOf } from "../problem.ts";
import { freshToken, type Login, type StoredToken, withToken } from "./cache/login.ts";
import type { Logins } from "./cache/logins.ts";
import { expirationOf, isUrl } from "./claims.ts";
import type { Issuer } from "./issuer.ts";
import { explainRejection, testCommand } from "./workload-problems.ts";
import { type WorkloadTokenInput, workloadToken } from "./workload-token.ts";

/** Shorter than other processes wait for the lock. */
const TIMEOUT_MS = 20_000;

export interface RenewOptions {
  readonly logins: Logins;
  readonly issuer: Issuer;
  readonly audience: string;
  /** A token that the server rejected, although it has not expired. */
  readonly rejected?: string | undefined;
  warn(text: string): void;
}

/**
 * The next token of a login. Of concurrent processes, one calls the server and the others use its
 * result: a refresh token that is used twice ends its session. Not canceled by Ctrl-C, since the new
 * refresh token must be stored.
 */
export async function renew(login: Login, options: RenewOptions): Promise<StoredToken> {
  const { logins, audience, warn } = options;
  try {
    logins.prepare(login.issuer);
  } catch (thrown) {
    if (login.renewal.kind !== "exchange") throw thrown;
    warn(`${(thrown as Error).message}; every command requests a new token`);
    return (await renewedLogin(login, options)).tokens[audience] as StoredToken;
  }
  return logins.locked(login, () => renewLocked(login, options));
}

async function renewLocked(login: Login, options: RenewOptions): Promise<StoredToken> {
  const { logins, audience, rejected } = options;
  const isWorkload = login.renewal.kind === "exchange";
  const current = logins.find(login) ?? (isWorkload ? login : undefined);
  if (current === undefined) throw unauthenticated("you have been signed out");
  const stored = freshToken(current, audience, Date.now());
  if (stored !== undefined && stored.token !== rejected) return stored;
  try {
    const next = await renewedLogin(current, options);
    logins.save(next);
    return next.tokens[audience] as StoredToken;
  } catch (thrown) {
    if (isWorkload || problemOf(thrown).code !== "UNAUTHENTICATED") throw thrown;
    logins.remove(login);
    throw unauthenticated(`your session at ${login.issuer} has expired or was revoked`);
  }
}

/** The login with a new token for the audience. */
async function renewedLogin(
  login: Login,
  { issuer, audience, rejected }: RenewOptions,
): Promise<Login> {
  const { wharf } = issuer;
  const { renewal } = login;
  const now = Date.now();
  switch (renewal.kind) {
    case "refresh": {
      const { access, refresh } = await refreshToken(wharf, renewal.token, audience);
      const next: Login = { ...login, renewal: { kind: "refresh", token: refresh } };
      return withToken(next, audience, access, now);
    }
    case "exchange": {
      const { identity, api } = login;
      const request = { from: renewal.from, identity, audience, api };
      const access = await exchangeWorkloadToken(issuer, request);
      return withToken(login, audience, access, now);
    }
    case "none": {
      const [other] = Object.entries(login.tokens)
        .filter(([, { token, expires }]) => expires > now && token !== rejected)
        .sort(([one], [another]) => Number(isUrl(another)) - Number(isUrl(one)));
      if (other === undefined) throw unauthenticated("your login has expired");
      return withToken(login, audience, await exchangeToken(wharf, other[1].token, audience), now);
    }
  }
}

/** Uses a refresh token. It stays valid if the server returns no new one. */
async function refreshToken(
  wharf: Wharf,
  token: string,
  audience: string,
): Promise<{ access: StoredToken; refresh: string }> {
  const options = { token, timeoutMs: TIMEOUT_MS };
  const pair = await wharf.sts.exchangeRefreshToken({ aud: [audience] }, options);
  return {
    access: storedToken(pair.token?.token ?? ""),
    refresh: pair.refreshToken?.token || token,
  };
}

export interface WorkloadExchange {
  readonly from: WorkloadTokenInput;
  readonly identity: string;
  readonly audience: string;
  readonly api: string;
}

/** Exchanges the token of a workload. A rejection says how to find out why. */
export async function exchangeWorkloadToken(
  { wharf, url }: Issuer,
  { from, identity, audience, api }: WorkloadExchange,
): Promise<StoredToken> {
  const upstream = await workloadToken(from, url);
  try {
    return await exchangeToken(wharf, upstream, audience, identity);
  } catch (thrown) {
    throw explainRejection(thrown, testCommand(from, { identity, api, issuer: url }));
  }
}

/** Restricts what a token can do. */
export interface Boundary {
  readonly scopes?: readonly string[];
  readonly capabilities?: readonly string[];
}

/** Exchanges a workload's token, or one of this server for another audience or boundary. */
export async function exchangeToken(
  wharf: Wharf,
  subjectToken: string,
  audience: string,
  identity = "",
  { scopes = [], capabilities = [] }: Boundary = {},
): Promise<StoredToken> {
  const request = { aud: [audience], identity, scopes: [...scopes], cap: [...capabilities] };
  const options = { token: subjectToken, timeoutMs: TIMEOUT_MS };
  return storedToken((await wharf.sts.exchange(request, options)).token);
}

function storedToken(token: string): StoredToken {
  return { token, expires: expirationOf(token) };
}
