import type { Wharf } from "@wharf/client";
import { unauthenticated } from "../errors.ts";
import { problemOf } from "../problem.ts";
import { freshToken, type KeptToken, type Login, withToken } from "./cache/login.ts";
import type { Logins } from "./cache/logins.ts";
import { expiryOf, isAddress } from "./claims.ts";
import type { Issuer } from "./issuer.ts";
import { workloadToken } from "./workload-token.ts";

/** Shorter than anyone waits for the lock. */
const TIMEOUT_MS = 20_000;

export interface RenewOptions {
  readonly logins: Logins;
  readonly issuer: Issuer;
  readonly audience: string;
  /** A token that the server did not take: it will not do, however fresh it looks. */
  readonly refused?: string | undefined;
  warn(text: string): void;
}

/**
 * The next token of a login. Of all processes that want one at once, one asks the server and the
 * others use what it got: a refresh token that is used twice ends its session.
 *
 * Not given up on Ctrl-C: what the server has given must be kept.
 */
export async function renew(login: Login, options: RenewOptions): Promise<KeptToken> {
  const { logins, audience, warn } = options;
  try {
    logins.prepare(login.issuer);
  } catch (thrown) {
    if (login.renewal.kind !== "exchange") throw thrown;
    warn(`${(thrown as Error).message}; so every command asks for a token anew`);
    return (await nextOf(login, options)).tokens[audience] as KeptToken;
  }
  return logins.locked(login, () => renewAlone(login, options));
}

async function renewAlone(login: Login, options: RenewOptions): Promise<KeptToken> {
  const { logins, audience, refused } = options;
  const isWorkload = login.renewal.kind === "exchange";
  const present = logins.find(login) ?? (isWorkload ? login : undefined);
  if (present === undefined) throw unauthenticated("you are not logged in any more");
  const kept = freshToken(present, audience, Date.now());
  if (kept !== undefined && kept.token !== refused) return kept;
  try {
    const next = await nextOf(present, options);
    logins.save(next);
    return next.tokens[audience] as KeptToken;
  } catch (thrown) {
    if (isWorkload || problemOf(thrown).code !== "UNAUTHENTICATED") throw thrown;
    logins.remove(login);
    throw unauthenticated(`your session at ${login.issuer} has ended`);
  }
}

/** The login with a token for the audience, however it gets one. */
async function nextOf(login: Login, { issuer, audience, refused }: RenewOptions): Promise<Login> {
  const { wharf } = issuer;
  const { renewal } = login;
  const now = Date.now();
  switch (renewal.kind) {
    case "refresh": {
      const { access, refresh } = await refreshed(wharf, renewal.token, audience);
      const next: Login = { ...login, renewal: { kind: "refresh", token: refresh } };
      return withToken(next, audience, access, now);
    }
    case "exchange": {
      const upstream = await workloadToken(renewal.from, issuer.url);
      const access = await exchanged(wharf, upstream, audience, login.identity);
      return withToken(login, audience, access, now);
    }
    case "none": {
      const [other] = Object.entries(login.tokens)
        .filter(([, { token, expires }]) => expires > now && token !== refused)
        .sort(([one], [another]) => Number(isAddress(another)) - Number(isAddress(one)));
      if (other === undefined) throw unauthenticated("your login has ended");
      return withToken(login, audience, await exchanged(wharf, other[1].token, audience), now);
    }
  }
}

/** Spends a refresh token. Where the server gives no new one, the old one goes on. */
export async function refreshed(
  wharf: Wharf,
  spent: string,
  audience: string,
): Promise<{ access: KeptToken; refresh: string }> {
  const options = { token: spent, timeoutMs: TIMEOUT_MS };
  const pair = await wharf.sts.exchangeRefreshToken({ aud: [audience] }, options);
  return { access: kept(pair.token?.token ?? ""), refresh: pair.refreshToken?.token || spent };
}

/** What is wanted of a token beside whom it is for. */
export interface Narrowing {
  readonly scopes?: readonly string[];
  readonly capabilities?: readonly string[];
}

/**
 * A token of ours for another one: that of a workload, or one of ours that is to be narrower, or for
 * someone else.
 */
export async function exchanged(
  wharf: Wharf,
  upstream: string,
  audience: string,
  identity = "",
  { scopes = [], capabilities = [] }: Narrowing = {},
): Promise<KeptToken> {
  const request = { aud: [audience], identity, scopes: [...scopes], cap: [...capabilities] };
  const options = { token: upstream, timeoutMs: TIMEOUT_MS };
  return kept((await wharf.sts.exchange(request, options)).token);
}

function kept(token: string): KeptToken {
  return { token, expires: expiryOf(token) };
}
