import { decodeProtectedHeader, errors, jwtVerify } from "jose";
import { unauthenticated } from "../../lib/errors.ts";
import type { RegistryKeys } from "./keys.ts";
import type { ResourceActions } from "./token.ts";

/** What a registry token must have been issued by and for. */
export interface ExpectedToken {
  readonly issuer: string;
  /** The hosts of registries. */
  readonly services: readonly string[];
}

/**
 * The access that a registry token of ours grants, as a registry reads it. Undefined if another key has signed the
 * token; throws UNAUTHENTICATED if it is invalid.
 */
export async function verifyRegistryToken(
  keys: RegistryKeys,
  token: string,
  { issuer, services }: ExpectedToken,
  now: number,
): Promise<readonly ResourceActions[] | undefined> {
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
    return payload.access as readonly ResourceActions[];
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
