import { create } from "@bufbuild/protobuf";
import {
  builtinRole,
  Capability,
  CapabilitySet,
  capabilityName,
  type GroupInvite,
  GroupSchema,
  isUid,
} from "@wharf/contract";
import type { CreateDeps } from "../engine/write/creates.ts";
import { Mutation } from "../engine/write/mutation.ts";
import { createOne } from "../engine/write/write.ts";
import { invalidArgument, permissionDenied } from "../lib/errors.ts";
import type { Call, Reply } from "../rpc/call.ts";
import { groupInvites } from "./group-invites.ts";
import { groups } from "./groups.ts";

const INVITE = [Capability.CAP_IAM_GROUP_INVITES_CREATE, Capability.CAP_IAM_ROLE_BINDINGS_CREATE];

/**
 * Creates an organization and an invite to it, in one transaction. The caller does not become the owner:
 * the user who accepts the invite joins an organization without members. It needs what creating an
 * organization needs, and the capabilities to invite in some group.
 */
export async function createOrganizationWithInvite(
  deps: CreateDeps,
  call: Call,
  name: string,
  input: GroupInvite,
  replyOf: (invite: GroupInvite) => Reply,
): Promise<Reply> {
  mustInviteSomewhere(call);
  if (isUid(name)) {
    const description = "name must be that of a new organization, not a UID";
    throw invalidArgument({ field: "name", description });
  }
  return deps.creates.write(
    call,
    async (tx) => {
      const mutation = new Mutation(call, tx, deps);
      const { afterCreate: _, ...hooks } = deps.hooks.of(groups);
      const group = create(GroupSchema, { name });
      const { uid } = (await createOne(mutation, groups, "", group, hooks)).created;
      return createOne(asOwner(mutation, uid), groupInvites, uid, input);
    },
    async ({ row, created }, reader) => {
      const invite = groupInvites.fromRow(row);
      await deps.hooks.hydrateDetail(groupInvites, reader, invite);
      return replyOf(Object.assign(invite, { code: created.code }));
    },
  );
}

function mustInviteSomewhere({ caller }: Call): void {
  const reach = caller.grants.reach(INVITE);
  if ("scopes" in reach && reach.scopes.length === 0)
    throw permissionDenied(INVITE.map(capabilityName), "");
}

/**
 * The mutation with the grants of an owner of the new organization. Its creator could be the owner, so
 * that inviting one grants nothing that the caller could not have.
 */
function asOwner({ call, caller, tx, deps }: Mutation, group: string): Mutation {
  const held = CapabilitySet.of(...(builtinRole("owner")?.capabilities ?? []));
  const { uid, isOperator, grants } = caller;
  const owner = { uid, isOperator, grants: grants.plus([[group, held]]) };
  return new Mutation(call, tx, deps, { caller: owner });
}
