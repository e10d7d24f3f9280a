import { type Timestamp, timestampDate } from "@bufbuild/protobuf/wkt";
import type { Fetch } from "../rest/http.ts";
import { createWharf } from "../wharf.ts";
import { cachedSource } from "./cached.ts";
import { fixed } from "./fixed.ts";
import type { Token, TokenSource } from "./source.ts";

/** The tokens of a session. */
export interface TokenPair {
  readonly token: Token;
  readonly refreshToken: Token;
}

export interface SessionOptions {
  /** The URL of the issuer. */
  readonly authUrl: string;
  /** The audience of the tokens. Default: the client's base URL. */
  readonly audience?: string | undefined;
  readonly fetch?: Fetch | undefined;
}

export interface RefreshOptions extends SessionOptions {
  /** The refresh token, or a function that returns the current one. */
  readonly refreshToken: string | (() => string | Promise<string>);
  /**
   * Stores the next pair. A refresh token is valid for one use, so a pair that is not stored is a lost session: the new
   * token is not used before this resolves.
   */
  readonly save?: ((pair: TokenPair) => void | Promise<void>) | undefined;
}

/**
 * The tokens of a person's session, refreshed before they expire.
 *
 * @example tokens.refresh({ authUrl, refreshToken, save: (pair) => writePair(pair) })
 */
export function refresh(options: RefreshOptions): TokenSource {
  const { refreshToken, save } = options;
  let present: string | undefined = typeof refreshToken === "string" ? refreshToken : undefined;
  let turn: Promise<unknown> = Promise.resolve();
  const next = async (audience: string | undefined, signal: AbortSignal): Promise<Token> => {
    const spent = typeof refreshToken === "string" ? (present as string) : await refreshToken();
    const pair = await refreshOnce(options, spent, audience, signal);
    present = pair.refreshToken.token;
    await save?.(pair);
    return pair.token;
  };
  return cachedSource(({ audience, signal }) => {
    // Concurrent refreshes would use the same refresh token, which revokes the session.
    const mine = turn.then(() => next(audience, signal));
    turn = mine.catch(() => {});
    return mine;
  });
}

/**
 * Uses a refresh token for the next pair. If the server returns no new one, the old one stays valid.
 *
 * @example const { token, refreshToken } = await refreshOnce(options, spent, baseUrl, signal);
 */
export async function refreshOnce(
  { authUrl, audience, fetch }: SessionOptions,
  spent: string,
  requestedAudience: string | undefined,
  signal: AbortSignal,
): Promise<TokenPair> {
  const issuer = createWharf({ baseUrl: authUrl, fetch });
  const request = { aud: [audience ?? requestedAudience ?? authUrl] };
  const pair = await issuer.sts.exchangeRefreshToken(request, { token: fixed(spent), signal });
  return {
    token: tokenOf(pair.token?.token ?? "", pair.token?.expiry),
    refreshToken: tokenOf(pair.refreshToken?.token || spent, pair.refreshToken?.expiry),
  };
}

function tokenOf(token: string, expiry: Timestamp | undefined): Token {
  return { token, expires: expiry && timestampDate(expiry) };
}
