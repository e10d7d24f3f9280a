/**
 * People: their claims, registration, sessions, and the methods of the contract about them. Imports
 * sts, iam and auth, and no pages.
 */

/** The claims of an identity provider about a person. */
export interface PersonClaims {
  /** The token or account that they signed in with, for the `act` claim of their tokens. */
  readonly act: { readonly iss: string; readonly sub: string };
  readonly email?: { readonly address: string; readonly verified: boolean } | undefined;
  readonly profile?: Profile | undefined;
}

export interface Profile {
  readonly name?: string;
  readonly picture?: string;
  readonly givenName?: string;
  readonly familyName?: string;
}

/** A registered person who has signed in. */
export interface Person extends PersonClaims {
  /** The uid of their identity. */
  readonly identity: string;
  /** The uid of the identity provider; empty for local accounts. */
  readonly provider: string;
  /** The OIDC client that the ID token was issued to; undefined for local accounts. */
  readonly clientId?: string | undefined;
  /** The time of authentication, in milliseconds since 1970; 0 if the identity provider does not say. */
  readonly signedIn: number;
  /** The uids of the group mappings that apply in this session. */
  readonly mappings: readonly string[];
}

export function displayNameOf({ email, profile, act }: PersonClaims): string {
  return email?.address ?? profile?.name ?? act.sub;
}
