/** A token, and its expiry unless it is opaque. */
export interface Token {
  readonly token: string;
  readonly expires?: Date | undefined;
}

export interface TokenRequest {
  /** The audience of the token. Sources with a configured or fixed audience ignore it. */
  readonly audience?: string | undefined;
  /** Ignores cached tokens: the last one was rejected. */
  readonly force?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** A source of tokens. It is called before every call, so sources cache valid tokens. */
export interface TokenSource {
  get(request: TokenRequest): Promise<Token>;
}

/**
 * The expiry of a token, read without verification; undefined if it has none.
 *
 * @example expiryOf(jwt) // 2026-01-01T00:00:00.000Z
 */
export function expiryOf(token: string): Date | undefined {
  const { exp } = claimsOf(token);
  return typeof exp === "number" ? new Date(exp * 1000) : undefined;
}

/**
 * Whether a token has an audience, read without verification.
 *
 * @example isMeantFor(jwt, "https://wharf.example.com") // true
 */
export function isMeantFor(token: string, audience: string): boolean {
  return [claimsOf(token).aud].flat().includes(audience);
}

function claimsOf(token: string): { readonly exp?: unknown; readonly aud?: unknown } {
  try {
    const payload = token.split(".")[1] ?? "";
    return JSON.parse(atob(payload.replaceAll("-", "+").replaceAll("_", "/"))) ?? {};
  } catch {
    return {};
  }
}

/**
 * A token with its own expiry.
 *
 * @example withExpiry(jwt) // { token: jwt, expires: … }
 */
export function withExpiry(token: string): Token {
  return { token, expires: expiryOf(token) };
}
