import { create } from "@bufbuild/protobuf";
import { type Duration, timestampFromMs, timestampMs } from "@bufbuild/protobuf/wkt";
import {
  type GroupInvite,
  GroupInviteRoleSchema,
  GroupInviteSchema,
  GroupInvitesService,
  newChildUid,
  parentOf,
  RoleBindingSchema,
} from "@wharf/contract";
import { personOf } from "../auth/standing.ts";
import type { Catalog } from "../engine/catalog.ts";
import { Resource } from "../engine/resource.ts";
import type { Mutation } from "../engine/write/mutation.ts";
import { invalidArgument, notFound, WharfError } from "../lib/errors.ts";
import type { Reader } from "../store/db/connection.ts";
import { hasBinding, lockBinding } from "../store/tables/access/identity-bindings.ts";
import { addMembership, type SignInClient } from "../store/tables/login/provider-people.ts";
import { checkOrganizationQuota } from "./binding-quota.ts";
import { checkGrantable } from "./granting.ts";
import { keyIdOf, newInviteCode } from "./invite-code.ts";

/** Group invites: a person with the code of an invite can join the group with its role. */
export const groupInvites: Resource<GroupInvite> = new Resource({
  service: GroupInvitesService,
  schema: GroupInviteSchema,
  table: "group_invites",
  changesAccess: true,
  secretOnCreate: "code",
  // Receivers of events must not see who is invited, and with which role.
  eventFields: ["uid", "expirationTime"],
  index: {
    defaultOrder: { column: "created", descending: true },
    filters: [{ field: "keyId", column: "key_id", type: "text", of: (invite) => invite.keyId }],
  },
  hydrate,
  hooks: {
    async beforeCreate(mutation, created) {
      // An invite promises a role binding, so it requires what creating the binding would.
      await checkGrantable(mutation, created.roleUid, parentOf(created.uid));
      if (created.ttl === undefined) {
        throw invalidArgument({ field: "ttl", description: "ttl is required" });
      }
      checkEmail(created.email);
      created.expirationTime = expirationOf(created.ttl, mutation.call.time);
      created.code = newInviteCode(parentOf(created.uid));
      created.keyId = keyIdOf(created.code);
    },
    async beforeUpdate(mutation, before, after) {
      await checkGrantable(mutation, after.roleUid, parentOf(after.uid));
      if (before.singleUse !== after.singleUse) {
        throw invalidArgument({ field: "singleUse", description: "singleUse cannot be changed" });
      }
      checkEmail(after.email);
      if (after.ttl !== undefined)
        after.expirationTime = expirationOf(after.ttl, mutation.call.time);
    },
  },
});

const MAX_TTL_MS = 365 * 24 * 3_600_000;

function expirationOf({ seconds, nanos }: Duration, now: number) {
  const ms = Number(seconds) * 1000 + nanos / 1_000_000;
  if (ms < 1000 || ms > MAX_TTL_MS) {
    const description = "ttl must be at least a second and at most 365 days";
    throw invalidArgument({ field: "ttl", description });
  }
  return timestampFromMs(Math.floor(now + ms));
}

function checkEmail(email: string): void {
  if (email === "" || /^[^\s@]+@[^\s@]+$/.test(email)) return;
  throw invalidArgument({ field: "email", description: "email must be an e-mail address" });
}

async function hydrate(
  reader: Reader,
  invites: readonly GroupInvite[],
  catalog: Catalog,
): Promise<void> {
  const roles = await catalog.roles.findMany(
    reader,
    invites.map((one) => one.roleUid),
  );
  for (const invite of invites) {
    const role = roles.get(invite.roleUid);
    if (role === undefined) continue;
    const { uid, name, description, capabilities } = role;
    invite.role = create(GroupInviteRoleSchema, { uid, name, description, capabilities });
  }
}

/** A person who accepts an invite: identity, and the e-mail address from the identity provider. */
export interface Invitee {
  readonly identity: string;
  readonly email?: { readonly address: string; readonly verified: boolean } | undefined;
  /** The OIDC client of the sign-in, if any. */
  readonly client?: SignInClient | undefined;
}

/**
 * The invite of a code, if it has not expired. Looked up by the hash of the code, so that the code itself
 * is not passed on.
 */
export async function findOpenInvite(
  reader: Reader,
  keyId: string,
  now: number,
): Promise<GroupInvite | undefined> {
  const [invite] = await groupInvites.where(reader, { column: "key_id", value: keyId });
  if (invite?.expirationTime === undefined) return undefined;
  return timestampMs(invite.expirationTime) > now ? invite : undefined;
}

/** Accepts an invite: binds its role, and deletes the invite if it is single-use. Returns the group. */
export async function acceptInvite(
  mutation: Mutation,
  keyId: string,
  who: Invitee,
): Promise<string> {
  const { deps, tx, call } = mutation;
  const found = await findOpenInvite(tx, keyId, call.time);
  // Locked: only one of two concurrent requests can accept a single-use invite.
  const row = found && (await groupInvites.table.findForChange(tx, found.uid));
  if (row === undefined) throw new WharfError("PERMISSION_DENIED", 'invalid "code"');
  const invite = groupInvites.fromRow(row);
  rejectOtherEmail(invite, who);
  const group = parentOf(invite.uid);
  if (!(await deps.catalog.roles.table.keep(tx, invite.roleUid))) {
    throw notFound(deps.catalog.roles.typeName, invite.roleUid);
  }
  await rejectDeactivated(mutation, who.identity, group);
  await bindRole(mutation, group, invite.roleUid, who.identity);
  // The invite makes the group trust the client that the person signs in through.
  const { identity, client } = who;
  if (client !== undefined) await addMembership(tx, { identity, scope: group, ...client });
  if (invite.singleUse) await mutation.remove(groupInvites, invite.uid);
  return group;
}

/** A person whom the group's identity provider has deactivated must not rejoin with an invite. */
async function rejectDeactivated(
  { deps, tx }: Mutation,
  uid: string,
  group: string,
): Promise<void> {
  const identity = await deps.catalog.identities.find(tx, uid);
  const person = identity && personOf(identity);
  const standing = await deps.access.standingOf(tx, person, undefined, [group]);
  if (standing.isActiveAt(group)) return;
  throw new WharfError(
    "PERMISSION_DENIED",
    "the identity provider of the group has not provisioned this person, or has deactivated them",
  );
}

/** Only verified e-mail addresses count: an unverified one could belong to another person. */
function rejectOtherEmail({ email }: GroupInvite, who: Invitee): void {
  if (email === "") return;
  const { address, verified } = who.email ?? { address: "", verified: false };
  if (verified && address.toLowerCase() === email.toLowerCase()) return;
  throw new WharfError(
    "PERMISSION_DENIED",
    "the invite is for another e-mail address, or yours is not verified",
  );
}

/**
 * Binds a role that an invite or an identity provider promised. Does nothing if the identity already has
 * the role at the group.
 */
export async function bindRole(
  mutation: Mutation,
  group: string,
  roleUid: string,
  identityUid: string,
): Promise<void> {
  const { deps, tx, call } = mutation;
  // The identity may have been deleted meanwhile, and the operator has none.
  if (!(await deps.catalog.identities.table.keep(tx, identityUid))) {
    throw notFound(deps.catalog.identities.typeName, identityUid);
  }
  if (await hasBinding(tx, identityUid, group, roleUid)) return;
  // Concurrent sign-ins bind it once.
  if ((await lockBinding(tx, identityUid, group, roleUid)) !== undefined) return;
  await checkOrganizationQuota(mutation, identityUid, group);
  const requested = create(RoleBindingSchema, { identityUid, roleUid });
  const binding = deps.catalog.roleBindings.fromInput(requested, call.time);
  binding.uid = newChildUid(group);
  await mutation.insert(deps.catalog.roleBindings, binding);
}
