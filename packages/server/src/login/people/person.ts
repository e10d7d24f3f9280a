/** What a provider said of a person who logged in. */
export interface Described {
  /** The token or account that they came with: kept in the `act` claim of their tokens. */
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

/** A person who has logged in, and is known. */
export interface Person extends Described {
  /** The uid of their identity. */
  readonly identity: string;
  /** The uid of the identity provider that they came through; empty for local accounts. */
  readonly provider: string;
  /** The OIDC client that the provider's ID token was made for; undefined for local accounts. */
  readonly clientId?: string | undefined;
  /** The uids of the group mappings that apply to them in this session. */
  readonly mappings: readonly string[];
}

/** What a person recognises themselves by. */
export function nameOf({ email, profile, act }: Described): string {
  return email?.address ?? profile?.name ?? act.sub;
}
