import { randomUUID } from "node:crypto";
import { CapabilitySet, isUid } from "@wharf/contract";
import { errors, jwtVerify } from "jose";
import type { Addresses } from "../config/addresses.ts";
import { isCanonicalBase64url } from "../lib/base64url.ts";
import { BoundedCache } from "../lib/bounded-cache.ts";
import { unauthenticated } from "../lib/errors.ts";
import { ANONYMOUS_UID } from "./caller.ts";
import { Grants } from "./grants.ts";
import { ALGORITHM, type SigningKeys, TOKEN_LIFETIME_MS } from "./keys.ts";
import { signJwt } from "./sign.ts";

/** What a token of ours says. */
export interface TokenContent {
  /** The uid of the identity that it speaks for; anything else speaks for nobody here. */
  readonly subject: string;
  /** Whom it is meant for. */
  readonly audiences: readonly string[];
  /** When it ends, in milliseconds since 1970; an hour from now at most. */
  readonly expires?: number;
  /** The token that it was given for. */
  readonly act?:
    | { readonly iss?: string; readonly sub?: string; readonly aud?: string | string[] }
    | undefined;
  /**
   * The most that the token may do, by scope; undefined where that is everything that its identity
   * may. Required, so that no caller of issueToken forgets it.
   */
  readonly boundary: Grants | undefined;
  /** The session that it belongs to, and ends with. */
  readonly session?: string | undefined;
  /** The person's address, where a provider told. */
  readonly email?: { readonly address: string; readonly verified: boolean } | undefined;
}

/** What is kept of a token once its signature has been checked. */
export interface VerifiedToken {
  readonly subject: string;
  /** Whom it is meant for. */
  readonly audiences: readonly string[];
  readonly kid: string;
  readonly expires: number;
  readonly boundary: Grants | undefined;
  /** The session that it belongs to; empty when there is none. */
  readonly session: string;
  /** The same for all tokens that hold the same: their subject, and their session and boundary if they have them. */
  readonly callerKey: string;
}

/** Verified tokens kept; those that are dropped are verified again. */
const CACHE_BOUNDS = { maxEntries: 50_000, maxBytes: 32 * 1024 * 1024 };

/** What a verified token takes beside its text and what was read from it, which is no longer. */
const ENTRY_BYTES = 512;

/** A place of a boundary takes more in memory than in the token. */
const BYTES_PER_PLACE = 512;

/** Far longer than any token of ours. */
const MAX_TOKEN_LENGTH = 16_384;

/**
 * Signs a token, valid for at most an hour.
 *
 * @example const { token } = issueToken(keys, addresses, { subject, audiences: [baseUrl] }, Date.now());
 */
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
    email,
  }: TokenContent,
  now: number,
): { token: string; expires: number } {
  if (subject === ANONYMOUS_UID) throw new Error("there is no token of anyone");
  const issued = Math.floor(now / 1000);
  const ends = Math.floor(Math.min(expires, now + TOKEN_LIFETIME_MS) / 1000);
  const [audience, ...others] = audiences;
  const token = signJwt(keys.current, {
    ...(act === undefined ? {} : { act }),
    ...(session ? { sid: session } : {}),
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

/** The claim in which clients look for capabilities: a bit set for each place. */
function encodeBoundary(boundary: Grants): Record<string, string> {
  return Object.fromEntries([...boundary.entries].map(([uid, held]) => [uid, held.encode()]));
}

function decodeBoundary(cap: unknown): Grants | undefined {
  if (cap === undefined) return undefined;
  const entries = Object.entries(cap as Record<string, string>);
  return Grants.at(entries.map(([uid, held]) => [uid, CapabilitySet.decode(held)] as const));
}

/**
 * Verifies tokens of ours, and caches those that it has verified. They are kept as they are: reading
 * the memory of this process also gives the keys that sign them, and hashing each one costs more than
 * everything else that a cached token needs. The cache is bounded by bytes, since callers choose how
 * long the claims are that end up in their tokens.
 */
export class TokenVerifier {
  readonly #keys: SigningKeys;
  readonly #addresses: () => Addresses;
  readonly #known = new BoundedCache<string, VerifiedToken>(CACHE_BOUNDS);
  hits = 0;
  misses = 0;

  constructor(keys: SigningKeys, addresses: () => Addresses) {
    this.#keys = keys;
    this.#addresses = addresses;
  }

  /**
   * What a token says that can be accepted now; throws UNAUTHENTICATED otherwise.
   *
   * @example const { subject } = await verifier.verify(token, Date.now());
   */
  async verify(token: string, now: number): Promise<VerifiedToken> {
    const verified = this.#remembered(token, now) ?? (await this.#learn(token, now));
    if (verified.audiences.includes(this.#addresses().baseUrl)) return verified;
    throw unauthenticated('invalid "aud"');
  }

  /**
   * What is remembered of a token for the API that has not expired; undefined otherwise.
   *
   * @example if (verifier.cached(token, Date.now()) !== undefined) …
   */
  cached(token: string, now: number): VerifiedToken | undefined {
    const verified = this.#known.get(token);
    if (verified === undefined || verified.expires <= now) return undefined;
    return verified.audiences.includes(this.#addresses().baseUrl) ? verified : undefined;
  }

  /**
   * As verify, for a token of ours that may be meant for someone else than the API: our issuer, or a
   * registry. Whoever calls this looks at its audiences.
   *
   * @example const { expires } = await verifier.verifyAnyAudience(token, Date.now());
   */
  async verifyAnyAudience(token: string, now: number): Promise<VerifiedToken> {
    return this.#remembered(token, now) ?? (await this.#learn(token, now));
  }

  /** What is known of a token, as long as it can be accepted. */
  #remembered(token: string, now: number): VerifiedToken | undefined {
    const verified = this.#known.get(token);
    if (verified === undefined) return undefined;
    this.hits += 1;
    return this.#acceptable(verified, now);
  }

  async #learn(token: string, now: number): Promise<VerifiedToken> {
    if (token.length > MAX_TOKEN_LENGTH) throw unauthenticated("the token is malformed");
    this.misses += 1;
    // Other spellings of a token would each have an entry of their own.
    if (!token.split(".").every(isCanonicalBase64url))
      throw unauthenticated("the token is malformed");
    const verified = await this.#check(token, now);
    this.#known.set(token, verified, bytesOf(token, verified));
    return this.#acceptable(verified, now);
  }

  #acceptable(verified: VerifiedToken, now: number): VerifiedToken {
    if (verified.expires <= now) throw unauthenticated("the token has expired");
    if (this.#keys.find(verified.kid, now) === undefined) throw unauthenticated(UNKNOWN_KEY);
    return verified;
  }

  async #check(token: string, now: number): Promise<VerifiedToken> {
    try {
      const { payload, protectedHeader } = await jwtVerify(
        token,
        ({ kid }) => {
          const key = this.#keys.find(kid ?? "", now);
          if (key === undefined) throw unauthenticated(UNKNOWN_KEY);
          return key.publicKey;
        },
        {
          issuer: this.#addresses().authUrl,
          algorithms: [ALGORITHM],
          requiredClaims: ["sub", "exp", "iat", "jti"],
          currentDate: new Date(now),
        },
      );
      const subject = payload.sub as string;
      const session = typeof payload.sid === "string" ? payload.sid : "";
      // Tokens that we sign for others to believe are no way in, whatever their audience.
      if (!isUid(subject) || subject === ANONYMOUS_UID) throw unauthenticated('invalid "sub"');
      return {
        subject,
        audiences: [payload.aud ?? []].flat(),
        kid: protectedHeader.kid as string,
        expires: (payload.exp as number) * 1000,
        boundary: decodeBoundary(payload.cap),
        session,
        callerKey: callerKeyOf(subject, session, payload.cap),
      };
    } catch (error) {
      throw refusal(error);
    }
  }

  /** The bytes that the cache holds, as it counts them. */
  get bytes(): number {
    return this.#known.bytes;
  }
}

function bytesOf(token: string, { boundary }: VerifiedToken): number {
  const places = boundary?.size ?? 0;
  return ENTRY_BYTES + 2 * token.length + BYTES_PER_PLACE * places;
}

function callerKeyOf(subject: string, session: string, cap: unknown): string {
  const whose = session === "" ? subject : `${subject} ${session}`;
  return cap === undefined ? whose : `${whose} ${JSON.stringify(cap)}`;
}

const UNKNOWN_KEY = "the token is not signed by a key of ours";

/** Says which check failed, without repeating anything of the token. */
function refusal(error: unknown): unknown {
  if (error instanceof errors.JWTExpired) return unauthenticated("the token has expired");
  if (error instanceof errors.JWTClaimValidationFailed)
    return unauthenticated(`invalid "${error.claim}"`);
  if (error instanceof errors.JWSSignatureVerificationFailed) {
    return unauthenticated("the token's signature is wrong");
  }
  if (error instanceof errors.JOSEError) return unauthenticated("the token is malformed");
  return error;
}
