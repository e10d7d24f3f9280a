import { createHmac, timingSafeEqual } from "node:crypto";
import { unauthenticated } from "../lib/errors.ts";

/** What a refresh token of ours says. */
export interface RefreshToken {
  /** The session that it renews. */
  readonly session: string;
  /** How many refresh tokens its session has had before it. */
  readonly generation: number;
  /** When it ends, in milliseconds since 1970. */
  readonly expires: number;
}

/** Far longer than any of ours. */
const LONGEST = 2_048;

/**
 * Makes and reads refresh tokens. They are base64 of a JSON object with `exp`, because that is what
 * existing clients look into, and carry a code that only we can make: so one that was spent can be
 * told from one that was made up, and nobody ends another's session by guessing.
 */
export class RefreshTokens {
  readonly #key: () => Buffer;

  constructor(key: () => Buffer) {
    this.#key = key;
  }

  write(token: RefreshToken): string {
    const { session: sid, generation: gen, expires } = token;
    const exp = Math.floor(expires / 1000);
    const mac = this.#code(sid, gen, exp).toString("base64url");
    return Buffer.from(JSON.stringify({ exp, sid, gen, mac })).toString("base64");
  }

  /** What a refresh token says; throws UNAUTHENTICATED for one that is not ours or has ended. */
  read(text: string, now: number): RefreshToken {
    const { exp, sid, gen, mac } = parse(text);
    const right = this.#code(sid, gen, exp);
    const given = Buffer.from(mac, "base64url");
    if (given.length !== right.length || !timingSafeEqual(given, right)) throw malformed();
    if (exp * 1000 <= now) throw unauthenticated("the refresh token has expired");
    return { session: sid, generation: gen, expires: exp * 1000 };
  }

  #code(session: string, generation: number, exp: number): Buffer {
    return createHmac("sha256", this.#key())
      .update(JSON.stringify([session, generation, exp]))
      .digest();
  }
}

function parse(text: string): { exp: number; sid: string; gen: number; mac: string } {
  if (text.length > LONGEST || !/^[A-Za-z0-9+/]+={0,2}$/.test(text)) throw malformed();
  try {
    const { exp, sid, gen, mac } = JSON.parse(Buffer.from(text, "base64").toString("utf8"));
    const sound =
      Number.isSafeInteger(exp) &&
      Number.isSafeInteger(gen) &&
      typeof sid === "string" &&
      typeof mac === "string";
    if (sound) return { exp, sid, gen, mac };
  } catch {
    // Answered below, as everything that is not ours.
  }
  throw malformed();
}

function malformed(): Error {
  return unauthenticated("the refresh token is malformed");
}
