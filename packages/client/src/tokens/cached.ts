import { abortable, Deadline } from "../deadline.ts";
import type { Token, TokenRequest, TokenSource } from "./source.ts";

/** Tokens are replaced this long before they expire, so that none expires in transit. */
const REFRESH_BEFORE_EXPIRY_MS = 60_000;

/** The request is shared by callers, so it has its own timeout. */
const TIMEOUT_MS = 30_000;

/** Obtains a new token. */
export type Obtain = (request: TokenRequest & { readonly signal: AbortSignal }) => Promise<Token>;

/**
 * A source that caches tokens until a minute before they expire; those without an expiry until they are rejected.
 * Concurrent requests share one call.
 *
 * @example const source = cachedSource(async () => withExpiry(await requestToken()));
 */
export function cachedSource(obtain: Obtain): TokenSource {
  const cache = new Map<string, Token>();
  const pending = new Map<string, Promise<Token>>();
  const start = (audience: string, request: TokenRequest): Promise<Token> => {
    const deadline = new Deadline(TIMEOUT_MS, undefined);
    const keep = (token: Token) => {
      cache.set(audience, token);
      return token;
    };
    const fail = (thrown: unknown) => {
      throw deadline.errorFor(thrown);
    };
    const shared = obtain({ ...request, signal: deadline.signal })
      .then(keep, fail)
      .finally(() => pending.delete(audience));
    pending.set(audience, shared);
    // Callers that wait get the error; without any, it must not be an unhandled rejection.
    shared.catch(() => {});
    return shared;
  };
  return {
    async get(request) {
      const audience = request.audience ?? "";
      const known = request.force ? undefined : cache.get(audience);
      if (known && isFresh(known)) return known;
      const token = pending.get(audience) ?? start(audience, request);
      return abortable(token, request.signal);
    },
  };
}

/**
 * Whether a token is not about to expire.
 *
 * @example isFresh({ token, expires: new Date(Date.now() + 3_600_000) }) // true
 */
export function isFresh({ expires }: Token): boolean {
  return expires === undefined || expires.getTime() - REFRESH_BEFORE_EXPIRY_MS > Date.now();
}
