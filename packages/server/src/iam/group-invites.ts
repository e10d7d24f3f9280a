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
import type { Mutation } from "../engine/mutation.ts";
import { Resource } from "../engine/resource.ts";
import { invalidArgument, notFound, WharfError } from "../lib/errors.ts";
import type { Reader } from "../store/db/connection.ts";
import { hasBinding } from "../store/tables/identity-bindings.ts";
import { addMembership, type SignInClient } from "../store/tables/provider-people.ts";
import { checkOrganizationQuota } from "./binding-quota.ts";
import { checkGrantable } from "./granting.ts";
import { keyIdOf, newInviteCode } from "./invite-code.ts";

/** Group invites: a code that lets whoever has it join a group in a role. */
export const groupInvites: Resource<GroupInvite> = new Resource({
  service: GroupInvitesService,
  schema: GroupInviteSchema,
  table: "group_invites",
  changesAccess: true,
  secretOnCreate: "code",
  // Who is invited, and as what, is not for whoever receives events.
  eventFields: ["uid", "expirationTime"],
  index: {
    defaultOrder: { column: "created", descending: true },
    filters: [{ field: "keyId", column: "key_id", type: "text", of: (invite) => invite.keyId }],
  },
  hydrate,
  hooks: {
    async beforeCreate(change, created) {
      // A promise of a binding takes what making it would.
      await checkGrantable(change, created.roleUid, parentOf(created.uid));
      if (created.ttl === undefined) {
        throw invalidArgument({ field: "ttl", description: "ttl is required" });
      }
      checkEmail(created.email);
      created.expirationTime = expirationOf(created.ttl, change.call.time);
      created.code = newInviteCode(parentOf(created.uid));
      created.keyId = keyIdOf(created.code);
    },
    async beforeUpdate(change, before, after) {
      await checkGrantable(change, after.roleUid, parentOf(after.uid));
      if (before.singleUse !== after.singleUse) {
        throw invalidArgument({ field: "singleUse", description: "singleUse cannot be changed" });
      }
      checkEmail(after.email);
      if (after.ttl !== undefined) after.expirationTime = expirationOf(after.ttl, change.call.time);
    },
  },
});

/** Longer than anyone needs to answer, short enough that forgotten ones die. */
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

/** Who wants to accept: their identity, and the address that their provider vouches for. */
export interface Invitee {
  readonly identity: string;
  readonly email?: { readonly address: string; readonly verified: boolean } | undefined;
  /** The client of the identity provider that they are signed in through, if any. */
  readonly client?: SignInClient | undefined;
}

/**
 * The invite that a code belongs to, while it can be accepted. Found by what is kept of the code,
 * so that the code itself goes no further than to where it came in.
 *
 * @example const invite = await openInvite(store.reader, keyIdOf(code), Date.now());
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

/**
 * Accepts an invite: binds the role, and uses the invite up if it is for one. Returns the group.
 *
 * @example const group = await acceptInvite(change, keyIdOf(code), { identity, email });
 */
export async function acceptInvite(change: Mutation, keyId: string, who: Invitee): Promise<string> {
  const { engine, tx, call } = change;
  const found = await findOpenInvite(tx, keyId, call.time);
  // Read again for change: only one of two who come together can have a single-use invite.
  const row = found && (await groupInvites.table.findForChange(tx, found.uid));
  if (row === undefined) throw new WharfError("PERMISSION_DENIED", 'invalid "code"');
  const invite = groupInvites.fromRow(row);
  rejectOtherEmail(invite, who);
  const group = parentOf(invite.uid);
  if (!(await engine.catalog.roles.table.keep(tx, invite.roleUid))) {
    throw notFound(engine.catalog.roles.typeName, invite.roleUid);
  }
  await rejectDeactivated(change, who.identity, group);
  await bindRole(change, group, invite.roleUid, who.identity);
  // Who invites trusts the way in which the invited signs in, for what is given here.
  const { identity, client } = who;
  if (client !== undefined) await addMembership(tx, { identity, scope: group, ...client });
  if (invite.singleUse) await change.remove(groupInvites, invite.uid);
  return group;
}

/** Someone whom the group's identity provider has deactivated must not come back by an invite. */
async function rejectDeactivated(
  { engine, tx }: Mutation,
  uid: string,
  group: string,
): Promise<void> {
  const identity = await engine.catalog.identities.find(tx, uid);
  const person = identity && personOf(identity);
  const standing = await engine.access.standingOf(tx, person, undefined, [group]);
  if (standing.isActiveAt(group)) return;
  throw new WharfError(
    "PERMISSION_DENIED",
    "the identity provider of the group has not provisioned this person, or has deactivated them",
  );
}

/** An address that nobody vouches for could be anyone's. */
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
 * Binds a role that was promised before: by an invite, or by an identity provider. Does nothing
 * when the identity has that role there already.
 *
 * @example await bind(change, group, invite.roleUid, identity);
 */
export async function bindRole(
  change: Mutation,
  group: string,
  roleUid: string,
  identityUid: string,
): Promise<void> {
  const { engine, tx, call } = change;
  // Who joins may have been deleted since they were known, and the operator never was anyone.
  if (!(await engine.catalog.identities.table.keep(tx, identityUid))) {
    throw notFound(engine.catalog.identities.typeName, identityUid);
  }
  if (await hasBinding(tx, identityUid, group, roleUid)) return;
  await checkOrganizationQuota(change, identityUid, group);
  const given = create(RoleBindingSchema, { identityUid, roleUid });
  const binding = engine.catalog.roleBindings.fromInput(given, call.time);
  binding.uid = newChildUid(group);
  await change.insert(engine.catalog.roleBindings, binding);
}
