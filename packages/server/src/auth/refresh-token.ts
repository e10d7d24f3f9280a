import { createHmac, timingSafeEqual } from "node:crypto";
import { unauthenticated } from "../lib/errors.ts";

/** The content of a refresh token. */
export interface RefreshToken {
  /** The session that it renews. */
  readonly session: string;
  /** The number of refresh tokens that its session had before. */
  readonly generation: number;
  /** The expiry, in milliseconds since 1970. */
  readonly expires: number;
}

/** Far longer than any refresh token. */
const MAX_LENGTH = 2_048;

/**
 * Encodes and verifies refresh tokens: base64 of a JSON object with `exp`, which existing clients read,
 * and an HMAC. The HMAC distinguishes a reused token, which revokes its session, from a forged one, so
 * that nobody can revoke another's session by guessing.
 */
export class RefreshTokens {
  readonly #key: () => Buffer;

  constructor(key: () => Buffer) {
    this.#key = key;
  }

  write(token: RefreshToken): string {
    const { session: sid, generation: gen, expires } = token;
    const exp = Math.floor(expires / 1000);
    const mac = this.#hmac(sid, gen, exp).toString("base64url");
    return Buffer.from(JSON.stringify({ exp, sid, gen, mac })).toString("base64");
  }

  /** Verifies a refresh token; throws UNAUTHENTICATED for one that is forged or has expired. */
  read(text: string, now: number): RefreshToken {
    const { exp, sid, gen, mac } = parse(text);
    const right = this.#hmac(sid, gen, exp);
    const signature = Buffer.from(mac, "base64url");
    if (signature.length !== right.length || !timingSafeEqual(signature, right)) throw malformed();
    if (exp * 1000 <= now) throw unauthenticated("the refresh token has expired");
    return { session: sid, generation: gen, expires: exp * 1000 };
  }

  #hmac(session: string, generation: number, exp: number): Buffer {
    return createHmac("sha256", this.#key())
      .update(JSON.stringify([session, generation, exp]))
      .digest();
  }
}

function parse(text: string): { exp: number; sid: string; gen: number; mac: string } {
  if (text.length > MAX_LENGTH || !/^[A-Za-z0-9+/]+={0,2}$/.test(text)) throw malformed();
  try {
    const { exp, sid, gen, mac } = JSON.parse(Buffer.from(text, "base64").toString("utf8"));
    const sound =
      Number.isSafeInteger(exp) &&
      Number.isSafeInteger(gen) &&
      typeof sid === "string" &&
      typeof mac === "string";
    if (sound) return { exp, sid, gen, mac };
  } catch {
    // Rejected below, as everything malformed.
  }
  throw malformed();
}

function malformed(): Error {
  return unauthenticated("the refresh token is malformed");
}
