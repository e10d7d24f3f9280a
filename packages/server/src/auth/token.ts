import { hash, randomUUID } from "node:crypto";
import { errors, jwtVerify, SignJWT } from "jose";
import type { Addresses } from "../addresses.ts";
import { unauthenticated } from "../errors.ts";
import { ALGORITHM, type SigningKeys, TOKEN_LIFETIME_MS } from "./keys.ts";

/** What is kept of a token once its signature has been checked. */
interface Verified {
  readonly subject: string;
  readonly kid: string;
  readonly expires: number;
}

/** Tokens remembered at most; beyond, the ones that came first are forgotten and checked again. */
const REMEMBERED = 50_000;

/** Far longer than any token of ours; what is longer is not worth hashing. */
const LONGEST = 16_384;

/**
 * Signs a token for an identity, valid for at most an hour.
 *
 * @example const token = await issueToken(keys, addresses, identity, Date.now());
 */
export async function issueToken(
  keys: SigningKeys,
  { authUrl, baseUrl }: Addresses,
  subject: string,
  now: number,
): Promise<string> {
  const { kid, privateKey } = keys.current;
  const issued = Math.floor(now / 1000);
  return new SignJWT()
    .setProtectedHeader({ alg: ALGORITHM, kid, typ: "JWT" })
    .setIssuer(authUrl)
    .setAudience(baseUrl)
    .setSubject(subject)
    .setJti(randomUUID())
    .setIssuedAt(issued)
    .setExpirationTime(issued + TOKEN_LIFETIME_MS / 1000)
    .sign(privateKey);
}

/** Checks tokens of ours, and remembers by their SHA-256 those that it has checked. */
export class TokenVerifier {
  readonly #keys: SigningKeys;
  readonly #addresses: () => Addresses;
  readonly #known = new Map<string, Verified>();
  hits = 0;
  misses = 0;

  constructor(keys: SigningKeys, addresses: () => Addresses) {
    this.#keys = keys;
    this.#addresses = addresses;
  }

  /**
   * The subject of a token that can be accepted now; throws UNAUTHENTICATED otherwise.
   *
   * @example const identity = await verifier.subject(token, Date.now());
   */
  async subject(token: string, now: number): Promise<string> {
    if (token.length > LONGEST) throw unauthenticated("the token is malformed");
    const digest = hash("sha256", token, "base64");
    let verified = this.#known.get(digest);
    if (verified === undefined) {
      this.misses += 1;
      verified = await this.#verify(token, now);
      this.#remember(digest, verified);
    } else {
      this.hits += 1;
    }
    if (verified.expires <= now) throw unauthenticated("the token has expired");
    if (this.#keys.find(verified.kid, now) === undefined) throw unauthenticated(UNKNOWN_KEY);
    return verified.subject;
  }

  async #verify(token: string, now: number): Promise<Verified> {
    const { authUrl, baseUrl } = this.#addresses();
    try {
      const { payload, protectedHeader } = await jwtVerify(
        token,
        ({ kid }) => {
          const key = this.#keys.find(kid ?? "", now);
          if (key === undefined) throw unauthenticated(UNKNOWN_KEY);
          return key.publicKey;
        },
        {
          issuer: authUrl,
          audience: baseUrl,
          algorithms: [ALGORITHM],
          requiredClaims: ["sub", "exp", "iat", "jti"],
          currentDate: new Date(now),
        },
      );
      return {
        subject: payload.sub as string,
        kid: protectedHeader.kid as string,
        expires: (payload.exp as number) * 1000,
      };
    } catch (error) {
      throw refusal(error);
    }
  }

  #remember(digest: string, verified: Verified): void {
    if (this.#known.size >= REMEMBERED) {
      const [oldest] = this.#known.keys();
      this.#known.delete(oldest as string);
    }
    this.#known.set(digest, verified);
  }
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
