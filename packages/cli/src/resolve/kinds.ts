import type {
  CallOptions,
  Identity,
  IdentityProvider,
  Repo,
  Role,
  UIDPFilter,
  Wharf,
} from "@wharf/client";

/** What can be told by a name. */
export interface Named {
  readonly uid: string;
  readonly name: string;
  readonly description: string;
}

/** Which of a kind are wanted. */
export interface Wanted {
  readonly name?: string;
  readonly orderBy?: string;
  readonly uidp?: Partial<Omit<UIDPFilter, "$typeName" | "$unknown">>;
}

/** A kind of thing that commands are told by name or uid, and how to get at it. */
export interface Kind<T extends Named> {
  readonly one: string;
  readonly many: string;
  /** The command that lists them. */
  readonly listed: string;
  /** Whether their names can have slashes themselves. */
  readonly slashes?: boolean;
  get(wharf: Wharf, uid: string, options: CallOptions): Promise<T>;
  list(wharf: Wharf, wanted: Wanted, options: CallOptions): AsyncIterable<T>;
}

export const IDENTITY: Kind<Identity> = {
  one: "identity",
  many: "identities",
  listed: "wharf iam identities list",
  get: (wharf, uid, options) => wharf.identities.get({ uid }, options),
  list: (wharf, wanted, options) => wharf.identities.listAll(wanted, options),
};

export const ROLE: Kind<Role> = {
  one: "role",
  many: "roles",
  listed: "wharf iam roles list",
  get: (wharf, uid, options) => wharf.roles.get({ uid }, options),
  list: (wharf, wanted, options) => wharf.roles.listAll(wanted, options),
};

export const IDENTITY_PROVIDER: Kind<IdentityProvider> = {
  one: "identity provider",
  many: "identity providers",
  listed: "wharf iam identity-providers list",
  get: (wharf, uid, options) => wharf.identityProviders.get({ uid }, options),
  list: (wharf, wanted, options) => wharf.identityProviders.listAll(wanted, options),
};

export const REPO: Kind<Repo> = {
  one: "repo",
  many: "repos",
  listed: "wharf repos list",
  slashes: true,
  get: (wharf, uid, options) => wharf.repos.get({ uid }, options),
  list: (wharf, wanted, options) => wharf.repos.listAll(wanted, options),
};
