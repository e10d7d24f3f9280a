/** What a token says of itself, as far as we look at it. */
export interface Claims {
  readonly iss?: string;
  readonly sub?: string;
  readonly aud?: string | readonly string[];
  readonly exp?: number;
  readonly email?: string;
  /** The session that it came of. */
  readonly sid?: string;
}

/** Reads a token without checking it: to show, never to decide who may do what. */
export function claimsOf(token: string): Claims {
  try {
    const payload = Buffer.from(token.split(".")[1] ?? "", "base64url").toString("utf8");
    return (JSON.parse(payload) ?? {}) as Claims;
  } catch {
    return {};
  }
}

/** When a token ends, in milliseconds since 1970; one that does not say has ended. */
export function expiryOf(token: string): number {
  return (claimsOf(token).exp ?? 0) * 1000;
}

/** When a refresh token ends, which is base64 of JSON. */
export function refreshExpiry(token: string): Date | undefined {
  try {
    const { exp } = JSON.parse(Buffer.from(token, "base64").toString("utf8")) as { exp?: number };
    return typeof exp === "number" ? new Date(exp * 1000) : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Whether an audience is an address, as that of the API, and no host of a registry. Tokens for
 * registries are not exchanged for others.
 */
export function isAddress(audience: string): boolean {
  return /^https?:/.test(audience);
}
