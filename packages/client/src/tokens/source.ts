/** A token, and until when it is good where that is known. */
export interface Token {
  readonly token: string;
  readonly expires?: Date | undefined;
}

export interface TokenRequest {
  /** Whom the token is meant for; sources that were told otherwise, or cannot choose, pass over it. */
  readonly audience?: string | undefined;
  /** The last one was refused: get another, whatever is remembered. */
  readonly force?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Where tokens come from. Asked before every call, so sources remember what is still good. */
export interface TokenSource {
  get(request: TokenRequest): Promise<Token>;
}

/**
 * When a token ends, read from it without verification; undefined when it does not say.
 *
 * @example expiryOf(jwt) // 2026-01-01T00:00:00.000Z
 */
export function expiryOf(token: string): Date | undefined {
  const { exp } = claimsOf(token);
  return typeof exp === "number" ? new Date(exp * 1000) : undefined;
}

/**
 * Whether a token says that it is meant for an audience; also without verification.
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
 * A token with the end that it names itself.
 *
 * @example withExpiry(jwt) // { token: jwt, expires: … }
 */
export function withExpiry(token: string): Token {
  return { token, expires: expiryOf(token) };
}
