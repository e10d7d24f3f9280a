import type { Fetch } from "../rest/http.ts";
import { createWharf } from "../wharf.ts";
import { cachedSource } from "./cached.ts";
import { type TokenSource, withExpiry } from "./source.ts";

export interface ExchangeOptions {
  /** The URL of the issuer. */
  readonly authUrl: string;
  /** The source of the subject token. */
  readonly from: TokenSource;
  /** The UID of the identity to assume. Default: the identity of the token's issuer and subject. */
  readonly identity?: string | undefined;
  /** The audience of the new token. Default: the client's base URL. */
  readonly audience?: string | undefined;
  /** Limits the new token to these groups. */
  readonly scopes?: readonly string[] | undefined;
  /** Limits the new token to these capabilities. */
  readonly capabilities?: readonly string[] | undefined;
  readonly fetch?: Fetch | undefined;
}

/**
 * Exchanges tokens of another issuer, such as a CI platform, for tokens of Wharf. The subject token is requested with the
 * default audience of identities: the host of the issuer.
 *
 * @example
 * const token = tokens.exchange({ authUrl, identity, from: tokens.githubActions() });
 * const wharf = createWharf({ baseUrl, token });
 */
export function exchange(options: ExchangeOptions): TokenSource {
  const { authUrl, from, identity, scopes, capabilities, fetch } = options;
  const issuer = createWharf({ baseUrl: authUrl, fetch });
  const host = new URL(authUrl).hostname;
  const token: TokenSource = { get: (request) => from.get({ ...request, audience: host }) };
  return cachedSource(async ({ audience, signal }) => {
    const request = {
      aud: [options.audience ?? audience ?? authUrl],
      identity: identity ?? "",
      scopes: [...(scopes ?? [])],
      cap: [...(capabilities ?? [])],
    };
    return withExpiry((await issuer.sts.exchange(request, { token, signal })).token);
  });
}
