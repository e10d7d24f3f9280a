import { randomUUID } from "node:crypto";
import { signJwt } from "../../auth/sign.ts";
import { REGISTRY_TOKEN_MS, type RegistryKey } from "./keys.ts";

/** Tolerance for registries whose clock is behind; not all of them have their own. */
const CLOCK_SKEW_SECONDS = 60;

/** An entry of the `access` claim. */
export interface ResourceActions {
  readonly type: string;
  readonly name: string;
  readonly actions: readonly string[];
}

export interface RegistryTokenContent {
  readonly issuer: string;
  /** The host of the registry. */
  readonly service: string;
  /** The uid of the identity. */
  readonly subject: string;
  /** The session of the credentials: our own registry ends access with it. */
  readonly session?: string | undefined;
  readonly access: readonly ResourceActions[];
  /** The expiry time of the credentials. */
  readonly expires: number;
}

/** Signs a token for a registry. It expires after five minutes, or earlier with the credentials. */
export function issueRegistryToken(
  key: RegistryKey,
  { issuer, service, subject, session, access, expires }: RegistryTokenContent,
  now: number,
): { token: string; seconds: number } {
  const issued = Math.floor(now / 1000);
  const expiry = Math.floor(Math.min(expires, now + REGISTRY_TOKEN_MS) / 1000);
  const claims = {
    iss: issuer,
    // A string: Distribution 2.8 rejects an array.
    aud: service,
    sub: subject,
    jti: randomUUID(),
    iat: issued,
    nbf: issued - CLOCK_SKEW_SECONDS,
    exp: expiry,
    ...(session && { session }),
    access,
  };
  return { token: signJwt(key, claims, { x5c: key.x5c }), seconds: expiry - issued };
}
