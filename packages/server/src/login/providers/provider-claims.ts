import { type IdentityProvider, IdentityProvider_OIDC_CorrelationRule } from "@wharf/contract";
import { isNotInFuture } from "../../sts/verify/time-claims.ts";
import type { PersonClaims } from "../people/person.ts";

/** The claims of an identity provider about one of its people. */
export interface ProviderClaims extends PersonClaims {
  /** The provider's id of the person, which SCIM uses, too. */
  readonly externalId: string;
  /** The groups according to the provider. */
  readonly groups: readonly string[];
  /** The time of authentication there, in milliseconds since 1970; 0 if the provider does not say. */
  readonly signedIn: number;
}

export type Claims = Readonly<Record<string, unknown>>;

/**
 * Extracts a person from claims. `email_verified` counts only in the same source as the address.
 */
export function providerClaimsOf(
  { configuration }: IdentityProvider,
  claims: Claims,
  { email_verified: verified }: Claims,
): ProviderClaims {
  const { groupsClaim, correlationRule } = configuration.value ?? { groupsClaim: "" };
  const { OID_EQUALS_EXTERNAL_ID } = IdentityProvider_OIDC_CorrelationRule;
  const externalId = correlationRule === OID_EQUALS_EXTERNAL_ID ? claims.oid : claims.sub;
  const text = (name: string) => (typeof claims[name] === "string" ? claims[name] : undefined);
  const address = text("email");
  const profile = {
    name: text("name"),
    picture: text("picture"),
    givenName: text("given_name"),
    familyName: text("family_name"),
  };
  const known = Object.entries(profile).filter(([, value]) => value !== undefined);
  return {
    act: { iss: String(claims.iss), sub: String(claims.sub) },
    externalId: typeof externalId === "string" ? externalId : "",
    signedIn: signInTimeOf(claims),
    groups: groupsClaim === "" ? [] : textsOf(claims[groupsClaim]),
    profile: Object.fromEntries(known),
    ...(address ? { email: { address, verified: verified === true } } : {}),
  };
}

/**
 * The `auth_time` of an ID token. A provider that never sends it may have led back a browser that it knew from long ago, so
 * its sign-ins are never recent; nor is one that claims the future.
 */
function signInTimeOf({ auth_time: seconds }: Claims): number {
  const now = Date.now();
  return isNotInFuture(seconds, now) ? Math.min(Number(seconds) * 1000, now) : 0;
}

function textsOf(value: unknown): string[] {
  return [value].flat().filter((one): one is string => typeof one === "string" && one !== "");
}
