import { decodeProtectedHeader, errors, jwtVerify } from "jose";
import { unauthenticated } from "../../lib/errors.ts";
import type { RegistryKeys } from "./keys.ts";
import type { ResourceActions } from "./token.ts";

/** The expected issuer and audience of a registry token. */
export interface ExpectedToken {
  readonly issuer: string;
  /** The hosts of registries. */
  readonly services: readonly string[];
}

/** A registry token of ours: who it is for, and what it grants at most. */
export interface VerifiedRegistryToken {
  readonly subject: string;
  /** The session of the token that it was issued for; empty if there is none. */
  readonly session: string;
  readonly access: readonly ResourceActions[];
  readonly expires: number;
  /** The key that has signed it. */
  readonly kid: string;
}

/** Reads a registry token. Undefined if another key has signed it; throws UNAUTHENTICATED if it is invalid. */
export async function verifyRegistryToken(
  keys: RegistryKeys,
  token: string,
  { issuer, services }: ExpectedToken,
  now: number,
): Promise<VerifiedRegistryToken | undefined> {
  const key = (await keys.published()).find(({ kid }) => kid === kidOf(token));
  if (key === undefined) return undefined;
  try {
    const { payload } = await jwtVerify(token, key.publicKey, {
      issuer,
      audience: [...services],
      algorithms: ["ES256"],
      requiredClaims: ["exp", "access"],
      currentDate: new Date(now),
    });
    const { sub: subject = "", session = "", exp = 0 } = payload;
    const access = payload.access as readonly ResourceActions[];
    return { subject, session: String(session), access, expires: exp * 1000, kid: key.kid };
  } catch (error) {
    if (error instanceof errors.JOSEError) throw unauthenticated("the token is invalid or expired");
    throw error;
  }
}

function kidOf(token: string): string | undefined {
  try {
    return decodeProtectedHeader(token).kid;
  } catch {
    return undefined;
  }
}
