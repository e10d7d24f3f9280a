import { type TokenSource, withExpiry } from "./source.ts";

/**
 * Always the same token.
 *
 * @example createWharf({ baseUrl, token: tokens.fixed(text) })
 */
export function fixed(text: string): TokenSource {
  const token = withExpiry(text.trim());
  return { get: async () => token };
}

/**
 * Converts a `token` option to a source.
 *
 * @example tokenSource("eyJ…")
 */
export function tokenSource(token: TokenSource | string): TokenSource {
  return typeof token === "string" ? fixed(token) : token;
}
