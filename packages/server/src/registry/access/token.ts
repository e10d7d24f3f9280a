import { randomUUID } from "node:crypto";
import { signJwt } from "../../auth/sign.ts";
import { REGISTRY_TOKEN_MS, type RegistryKey } from "./keys.ts";

/** How late the clock of a registry may be; not all of them allow for it. */
const LATE_SECONDS = 60;

/** One entry of what a token lets its bearer do, as registries read it. */
export interface ResourceActions {
  readonly type: string;
  readonly name: string;
  readonly actions: readonly string[];
}

export interface RegistryTokenContent {
  readonly issuer: string;
  /** The registry that it is for. */
  readonly service: string;
  /** The uid of the identity that it was given to. */
  readonly subject: string;
  readonly access: readonly ResourceActions[];
  /** When the credentials that it was given for end. */
  readonly expires: number;
}

/**
 * Signs a token for a registry: for five minutes, and no longer than the credentials it was given for.
 *
 * @example const { token } = issueRegistryToken(await keys.current(), content, Date.now());
 */
export function issueRegistryToken(
  key: RegistryKey,
  { issuer, service, subject, access, expires }: RegistryTokenContent,
  now: number,
): { token: string; seconds: number } {
  const issued = Math.floor(now / 1000);
  const ends = Math.floor(Math.min(expires, now + REGISTRY_TOKEN_MS) / 1000);
  const claims = {
    iss: issuer,
    // A text, not a list: Distribution 2.8 reads nothing else.
    aud: service,
    sub: subject,
    jti: randomUUID(),
    iat: issued,
    nbf: issued - LATE_SECONDS,
    exp: ends,
    access,
  };
  return { token: signJwt(key, claims, { x5c: key.x5c }), seconds: ends - issued };
}
