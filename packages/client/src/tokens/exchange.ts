import type { Fetch } from "../rest/transport.ts";
import { createWharf } from "../wharf.ts";
import { remembered } from "./remembered.ts";
import { type TokenSource, withExpiry } from "./source.ts";

export interface ExchangeOptions {
  /** Where tokens are exchanged. */
  readonly authUrl: string;
  /** Where the token to exchange comes from. */
  readonly from: TokenSource;
  /** The uid of the identity to become. Default: the one that the token's issuer and subject are. */
  readonly identity?: string | undefined;
  /** Whom the new token is meant for. Default: whoever it is asked for, so the client's base URL. */
  readonly audience?: string | undefined;
  /** The new token holds nothing outside of these groups. */
  readonly scopes?: readonly string[] | undefined;
  /** The new token holds no other capabilities than these. */
  readonly capabilities?: readonly string[] | undefined;
  readonly fetch?: Fetch | undefined;
}

/**
 * Tokens of Wharf for tokens of others: a platform's, say. The other token is asked for with the
 * audience that identities expect unless they say otherwise, the host of the issuer.
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
  return remembered(async ({ audience, signal }) => {
    const request = {
      aud: [options.audience ?? audience ?? authUrl],
      identity: identity ?? "",
      scopes: [...(scopes ?? [])],
      cap: [...(capabilities ?? [])],
    };
    return withExpiry((await issuer.sts.exchange(request, { token, signal })).token);
  });
}
