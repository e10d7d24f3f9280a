import { randomUUID } from "node:crypto";
import { CapabilitySet, isUid } from "@wharf/contract";
import { errors, jwtVerify } from "jose";
import type { Addresses } from "../config/addresses.ts";
import { BoundedCache } from "../lib/bounded-cache.ts";
import { isInFuture } from "../lib/clock-skew.ts";
import { isCanonicalBase64url } from "../lib/crypto/base64url.ts";
import { unauthenticated } from "../lib/errors.ts";
import { type MaybePromise, whenReady } from "../lib/maybe-promise.ts";
import { ALGORITHMS } from "./algorithms.ts";
import { ANONYMOUS_UID } from "./caller.ts";
import { Grants } from "./grants.ts";
import { type SigningKeys, TOKEN_LIFETIME_MS } from "./keys.ts";
import { signJwt } from "./sign.ts";

export interface TokenContent {
  /** The uid of the identity. Tokens with another subject are for other services and rejected here. */
  readonly subject: string;
  readonly audiences: readonly string[];
  /** The expiry, in milliseconds since 1970; an hour from now at most. */
  readonly expires?: number;
  /** The token that was exchanged for it. */
  readonly act?:
    | { readonly iss?: string; readonly sub?: string; readonly aud?: string | string[] }
    | undefined;
  /**
   * The upper bound of its grants; undefined for all grants of its identity. Required, so that no caller of
   * issueToken forgets it.
   */
  readonly boundary: Grants | undefined;
  /** The session that it belongs to; it is valid only as long as the session. */
  readonly session?: string | undefined;
  /** When the person of a browser session signed in; the claim informs, the store decides. */
  readonly signedIn?: number | undefined;
  /** The person's e-mail address, if the identity provider sent one. */
  readonly email?: { readonly address: string; readonly verified: boolean } | undefined;
}

/** A token whose signature has been verified. */
export interface VerifiedToken {
  readonly subject: string;
  readonly audiences: readonly string[];
  readonly kid: string;
  readonly expires: number;
  readonly issued: number;
  readonly boundary: Grants | undefined;
  /** The session that it belongs to; empty if there is none. */
  readonly session: string;
  /** Equal for tokens with the same grants: made of subject, session and boundary. */
  readonly callerKey: string;
}

/** The cache of verified tokens. */
const CACHE_BOUNDS = { maxEntries: 50_000, maxBytes: 32 * 1024 * 1024 };

/** The approximate memory of a cached token beside its text. */
const ENTRY_BYTES = 512;

/** The approximate memory of a scope of a boundary. */
const BYTES_PER_SCOPE = 512;

/** Far longer than any token that this server issues. */
const MAX_TOKEN_LENGTH = 16_384;

/** Signs a token, valid for at most an hour. */
export function issueToken(
  keys: SigningKeys,
  { authUrl }: Addresses,
  {
    subject,
    audiences,
    expires = Number.POSITIVE_INFINITY,
    act,
    boundary,
    session,
    signedIn,
    email,
  }: TokenContent,
  now: number,
): { token: string; expires: number } {
  if (subject === ANONYMOUS_UID) throw new Error("no token is issued for the anonymous identity");
  const issued = Math.floor(now / 1000);
  const ends = Math.floor(Math.min(expires, now + TOKEN_LIFETIME_MS) / 1000);
  const [audience, ...others] = audiences;
  const token = signJwt(keys.keyFor(audiences), {
    ...(act === undefined ? {} : { act }),
    ...(session ? { sid: session } : {}),
    ...(signedIn ? { auth_time: Math.floor(signedIn / 1000) } : {}),
    ...(email ? { email: email.address, email_verified: email.verified } : {}),
    ...(boundary === undefined ? {} : { cap: encodeBoundary(boundary) }),
    iss: authUrl,
    aud: others.length === 0 ? (audience ?? "") : [...audiences],
    sub: subject,
    jti: randomUUID(),
    iat: issued,
    exp: ends,
  });
  return { token, expires: ends * 1000 };
}

/** The `cap` claim, which clients read: a bit set of capabilities for each scope. */
function encodeBoundary(boundary: Grants): Record<string, string> {
  return Object.fromEntries([...boundary.entries].map(([uid, set]) => [uid, set.encode()]));
}

function decodeBoundary(cap: unknown): Grants | undefined {
  if (cap === undefined) return undefined;
  const entries = Object.entries(cap as Record<string, string>);
  return Grants.at(entries.map(([uid, encoded]) => [uid, CapabilitySet.decode(encoded)] as const));
}

/**
 * Verifies tokens that this server issued, and caches verified ones by their text. They are not hashed:
 * an attacker who reads this process's memory also has the signing keys, and hashing costs more than all
 * other work for a cached token. The cache is bounded by bytes, because callers choose how long some
 * claims of their tokens are.
 */
export class TokenVerifier {
  readonly #keys: SigningKeys;
  readonly #addresses: () => Addresses;
  readonly #cache = new BoundedCache<string, VerifiedToken>(CACHE_BOUNDS);
  hits = 0;
  misses = 0;

  constructor(keys: SigningKeys, addresses: () => Addresses) {
    this.#keys = keys;
    this.#addresses = addresses;
  }

  /** Verifies a token for the API: at once, if it is cached. Throws or rejects with UNAUTHENTICATED if it is invalid. */
  verify(token: string, now: number): MaybePromise<VerifiedToken> {
    return whenReady(this.verifyAnyAudience(token, now), (verified) => {
      if (verified.audiences.includes(this.#addresses().baseUrl)) return verified;
      throw unauthenticated('invalid "aud"');
    });
  }

  /**
   * As verify, for a token with any audience: the API, the issuer, or a registry. The calling code must
   * check the audiences.
   */
  verifyAnyAudience(token: string, now: number): MaybePromise<VerifiedToken> {
    const verified = this.#cache.get(token);
    if (verified === undefined) return this.#verifyAndCache(token, now);
    this.hits += 1;
    return this.#mustBeValid(verified, now);
  }

  /** Whether a token has been verified. It may have become invalid since. */
  hasVerified(token: string): boolean {
    return this.#cache.get(token) !== undefined;
  }

  async #verifyAndCache(token: string, now: number): Promise<VerifiedToken> {
    if (token.length > MAX_TOKEN_LENGTH) throw unauthenticated("the token is malformed");
    this.misses += 1;
    // Non-canonical spellings of a token would each have a cache entry.
    if (!token.split(".").every(isCanonicalBase64url))
      throw unauthenticated("the token is malformed");
    const verified = await this.#check(token, now);
    this.#cache.set(token, verified, bytesOf(token, verified));
    return this.#mustBeValid(verified, now);
  }

  #mustBeValid(verified: VerifiedToken, now: number): VerifiedToken {
    const problem = this.#problem(verified, now);
    if (problem !== undefined) throw unauthenticated(problem);
    return verified;
  }

  /** The reason to reject a verified token at a time: it may have become invalid since its verification. */
  #problem({ expires, issued, kid }: VerifiedToken, now: number): string | undefined {
    if (expires <= now) return EXPIRED;
    // A clock was wrong when it was issued, or is now: its expiry cannot be trusted.
    if (isInFuture(issued, now)) return ISSUED_IN_FUTURE;
    return this.#keys.find(kid, now) === undefined ? UNKNOWN_KEY : undefined;
  }

  async #check(token: string, now: number): Promise<VerifiedToken> {
    try {
      const { payload, protectedHeader } = await jwtVerify(
        token,
        ({ kid, alg }) => {
          const key = this.#keys.find(kid ?? "", now);
          if (key === undefined) throw unauthenticated(UNKNOWN_KEY);
          // The key decides, so that no token is verified with an algorithm that its key is not for.
          if (alg !== key.algorithm) throw unauthenticated(WRONG_ALGORITHM);
          return key.publicKey;
        },
        {
          issuer: this.#addresses().authUrl,
          algorithms: [...ALGORITHMS],
          requiredClaims: ["sub", "exp", "iat", "jti"],
          currentDate: new Date(now),
        },
      );
      const subject = payload.sub as string;
      const session = typeof payload.sid === "string" ? payload.sid : "";
      // Tokens for other services have no uid as subject and are never accepted.
      if (!isUid(subject) || subject === ANONYMOUS_UID) throw unauthenticated('invalid "sub"');
      return {
        subject,
        audiences: [payload.aud ?? []].flat(),
        kid: protectedHeader.kid as string,
        expires: (payload.exp as number) * 1000,
        issued: (payload.iat as number) * 1000,
        boundary: decodeBoundary(payload.cap),
        session,
        callerKey: callerKeyOf(subject, session, payload.cap),
      };
    } catch (error) {
      throw rejection(error);
    }
  }

  /** The size of the cache, as it is accounted. */
  get bytes(): number {
    return this.#cache.bytes;
  }
}

function bytesOf(token: string, { boundary }: VerifiedToken): number {
  const scopes = boundary?.size ?? 0;
  return ENTRY_BYTES + 2 * token.length + BYTES_PER_SCOPE * scopes;
}

export function callerKeyOf(subject: string, session: string, cap: unknown): string {
  const whose = session === "" ? subject : `${subject} ${session}`;
  return cap === undefined ? whose : `${whose} ${JSON.stringify(cap)}`;
}

const EXPIRED = "the token has expired";
const ISSUED_IN_FUTURE = "the token was issued in the future: check the clocks of all servers";
const UNKNOWN_KEY = "the token is signed with an unknown or retired key";
const WRONG_ALGORITHM = "the token's algorithm is not that of its key";

/** Names the check that failed, without repeating content of the token. */
function rejection(error: unknown): unknown {
  if (error instanceof errors.JWTExpired) return unauthenticated(EXPIRED);
  if (error instanceof errors.JWTClaimValidationFailed)
    return unauthenticated(`invalid "${error.claim}"`);
  if (error instanceof errors.JWSSignatureVerificationFailed) {
    return unauthenticated("the token's signature is wrong");
  }
  if (error instanceof errors.JOSEError) return unauthenticated("the token is malformed");
  return error;
}
