import { type Timestamp, timestampDate } from "@bufbuild/protobuf/wkt";
import type { Fetch } from "../rest/transport.ts";
import { createWharf } from "../wharf.ts";
import { fixed } from "./fixed.ts";
import { remembered } from "./remembered.ts";
import type { Token, TokenSource } from "./source.ts";

/** What a session goes on with. */
export interface TokenPair {
  readonly token: Token;
  readonly refreshToken: Token;
}

export interface SessionOptions {
  /** Where tokens are exchanged. */
  readonly authUrl: string;
  /** Whom the tokens are meant for. Default: whoever they are asked for, so the client's base URL. */
  readonly audience?: string | undefined;
  readonly fetch?: Fetch | undefined;
}

export interface RefreshOptions extends SessionOptions {
  /** The refresh token, or how to find the present one. */
  readonly refreshToken: string | (() => string | Promise<string>);
  /**
   * Keeps the next pair. Each refresh token is good for one use, so what is not kept is a session
   * that is lost: the new token is not used before this is done.
   */
  readonly save?: ((pair: TokenPair) => void | Promise<void>) | undefined;
}

/**
 * The tokens of a person's session, renewed when needed.
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
  return remembered(({ audience, signal }) => {
    // Two audiences at once would spend the same refresh token, which ends the session.
    const mine = turn.then(() => next(audience, signal));
    turn = mine.catch(() => {});
    return mine;
  });
}

/**
 * Spends a refresh token on the next pair. Where the server gives no new one, the old one goes on.
 *
 * @example const { token, refreshToken } = await refreshOnce(options, spent, baseUrl, signal);
 */
export async function refreshOnce(
  { authUrl, audience, fetch }: SessionOptions,
  spent: string,
  asked: string | undefined,
  signal: AbortSignal,
): Promise<TokenPair> {
  const issuer = createWharf({ baseUrl: authUrl, fetch });
  const request = { aud: [audience ?? asked ?? authUrl] };
  const pair = await issuer.sts.exchangeRefreshToken(request, { token: fixed(spent), signal });
  return {
    token: tokenOf(pair.token?.token ?? "", pair.token?.expiry),
    refreshToken: tokenOf(pair.refreshToken?.token || spent, pair.refreshToken?.expiry),
  };
}

function tokenOf(token: string, expiry: Timestamp | undefined): Token {
  return { token, expires: expiry && timestampDate(expiry) };
}
