import type {
  CallOptions,
  Group,
  GroupInvite,
  Identity,
  IdentityProvider,
  Repo,
  Role,
  RoleBinding,
  Subscription,
  UIDPFilter,
  VerificationKey,
  VulnerabilitySource,
  Wharf,
} from "@wharf/client";

/**
 * Kinds of resources: how messages call them, and how to reach them in the API. Loaded with the
 * command definitions, so only types are imported.
 */

/** Restricts a list. */
export interface Filter {
  readonly name?: string;
  readonly orderBy?: string;
  readonly uidp?: Partial<Omit<UIDPFilter, "$typeName" | "$unknown">>;
}

/** The methods of the API that commands of every kind use. */
export interface Service<T> {
  get(request: { uid: string }, options: CallOptions): Promise<T>;
  /** A page, with the items in the only list of the response. */
  list(request: Filter & { readonly pageSize: number }, options: CallOptions): Promise<object>;
  listAll(request: Filter, options: CallOptions): AsyncIterable<T>;
  delete?(request: { uid: string }, options: CallOptions): Promise<unknown>;
}

export interface HasUid {
  readonly uid: string;
}

export interface Kind<T extends HasUid> {
  readonly one: string;
  readonly many: string;
  readonly listCommand: string;
  readonly service: (wharf: Wharf) => Service<T>;
  /** The filter and order of pick lists and completion. */
  readonly filter?: Filter;
  /** Whether a listed resource is of this kind; folders are groups, but not all groups folders. */
  readonly includes?: (item: T) => boolean;
  /** Whether users refer to it by name; otherwise by UID only. */
  readonly isNamed?: boolean;
  /** Whether names contain slashes, as those of repos do. */
  readonly hasSlashes?: boolean;
  /** The label in pick lists, trees and questions. */
  readonly label: (item: T) => string;
  /** The hint beside the label in pick lists. */
  readonly hint: (item: T) => string;
}

export interface Named extends HasUid {
  readonly name: string;
  readonly description: string;
}

const NAMED = {
  isNamed: true,
  filter: { orderBy: "name" },
  label: ({ name }: Named) => name,
  hint: ({ description, uid }: Named) => description || uid,
} as const;

const GROUPS = {
  ...NAMED,
  service: ({ groups }: Wharf) => groups,
  hint: ({ uid }: Group) => uid,
} as const;

export const GROUP: Kind<Group> = {
  ...GROUPS,
  one: "group",
  many: "groups",
  listCommand: "wharf iam folders list",
};

/** A group without a parent. */
export const ORGANIZATION: Kind<Group> = {
  ...GROUPS,
  one: "organization",
  many: "organizations",
  listCommand: "wharf iam organizations list",
  filter: { orderBy: "name", uidp: { inRoot: true } },
  includes: ({ uid }) => !uid.includes("/"),
};

export const FOLDER: Kind<Group> = {
  ...GROUPS,
  one: "folder",
  many: "folders",
  listCommand: "wharf iam folders list",
  includes: ({ uid }) => uid.includes("/"),
};

export const IDENTITY: Kind<Identity> = {
  ...NAMED,
  one: "identity",
  many: "identities",
  listCommand: "wharf iam identities list",
  service: ({ identities }) => identities,
};

export const ROLE: Kind<Role> = {
  ...NAMED,
  one: "role",
  many: "roles",
  listCommand: "wharf iam roles list",
  service: ({ roles }) => roles,
};

export const IDENTITY_PROVIDER: Kind<IdentityProvider> = {
  ...NAMED,
  one: "identity provider",
  many: "identity providers",
  listCommand: "wharf iam identity-providers list",
  service: ({ identityProviders }) => identityProviders,
};

export const REPO: Kind<Repo> = {
  ...NAMED,
  one: "repo",
  many: "repos",
  listCommand: "wharf repos list",
  hasSlashes: true,
  service: ({ repos }) => repos,
};

export const INVITE: Kind<GroupInvite> = {
  one: "invite",
  many: "invites",
  listCommand: "wharf iam invites list",
  service: ({ groupInvites }) => groupInvites,
  label: ({ email, keyId, role, roleUid }) =>
    `${email || `key ${keyId}`}: ${role?.name ?? roleUid}`,
  hint: ({ uid }) => uid,
};

export const SUBSCRIPTION: Kind<Subscription> = {
  one: "subscription",
  many: "subscriptions",
  listCommand: "wharf events subscriptions list",
  service: ({ subscriptions }) => subscriptions,
  label: ({ name, sink }) => name || sink,
  hint: ({ uid }) => uid,
};

/** Lists of sources have no filter by name: there are few of them. */
export const VULNERABILITY_SOURCE: Kind<VulnerabilitySource> = {
  one: "source",
  many: "sources",
  listCommand: "wharf sources list",
  isNamed: true,
  service: ({ vulnerabilitySources: service }) => ({
    get: (request, options) => service.get(request, options),
    list: (request, options) => service.list(request, options),
    delete: (request, options) => service.delete(request, options),
    async *listAll({ name, ...request }, options) {
      for await (const source of service.listAll(request, options)) {
        if (name === undefined || source.name === name) yield source;
      }
    },
  }),
  label: ({ name }) => name,
  hint: ({ url, uid }) => url || uid,
};

export const VERIFICATION_KEY: Kind<VerificationKey> = {
  one: "verification key",
  many: "verification keys",
  listCommand: "wharf verification-keys list",
  isNamed: true,
  service: ({ verificationKeys }) => verificationKeys,
  label: ({ name }) => name,
  hint: ({ fingerprint, uid }) => fingerprint || uid,
};

export const ROLE_BINDING: Kind<RoleBinding> = {
  one: "role binding",
  many: "role bindings",
  listCommand: "wharf iam role-bindings list",
  service: ({ roleBindings }) => roleBindings,
  label: (binding) => `${subjectOf(binding)}: ${roleOf(binding)}`,
  hint: ({ group, uid }) => group?.name ?? uid,
};

/** The identity of a binding: email address or name if visible. */
export function subjectOf({ identity, identityUid }: RoleBinding): string {
  return identity?.email || identity?.name || identityUid;
}

export function roleOf({ role, roleUid }: RoleBinding): string {
  return role?.name || roleUid;
}
