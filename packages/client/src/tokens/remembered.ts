import { Deadline, unlessAborted } from "../deadline.ts";
import type { Token, TokenRequest, TokenSource } from "./source.ts";

/** A token that ends this soon is replaced, so that none ends on its way. */
export const EARLY_MS = 60_000;

/** Nobody waits longer for a token. The work is shared, so it has a time limit of its own. */
const LONGEST_MS = 30_000;

/** How a source gets a token when it has none that will do. */
export type Obtain = (request: TokenRequest & { readonly signal: AbortSignal }) => Promise<Token>;

/**
 * A source that keeps each token until a minute before its end; one that names no end is kept until
 * it is refused. However many ask at once, the work is done once.
 *
 * @example const source = remembered(async () => withExpiry(await askSomebody()));
 */
export function remembered(obtain: Obtain): TokenSource {
  const kept = new Map<string, Token>();
  const underWay = new Map<string, Promise<Token>>();
  const begin = (audience: string, request: TokenRequest): Promise<Token> => {
    const deadline = new Deadline(LONGEST_MS, undefined);
    const keep = (token: Token) => {
      kept.set(audience, token);
      return token;
    };
    const fail = (thrown: unknown) => {
      throw deadline.verdict(thrown);
    };
    const shared = obtain({ ...request, signal: deadline.signal })
      .then(keep, fail)
      .finally(() => underWay.delete(audience));
    underWay.set(audience, shared);
    // Those who wait hear of a failure; when all have left, nobody needs to.
    shared.catch(() => {});
    return shared;
  };
  return {
    async get(request) {
      const audience = request.audience ?? "";
      const known = request.force ? undefined : kept.get(audience);
      if (known && isFresh(known)) return known;
      const token = underWay.get(audience) ?? begin(audience, request);
      return unlessAborted(token, request.signal);
    },
  };
}

/**
 * Whether a token can still be used for a while.
 *
 * @example isFresh({ token, expires: new Date(Date.now() + 3_600_000) }) // true
 */
export function isFresh({ expires }: Token): boolean {
  return expires === undefined || expires.getTime() - EARLY_MS > Date.now();
}
