import { create } from "@bufbuild/protobuf";
import { type GroupInvite, GroupInviteSchema, GroupInvitesService } from "@wharf/contract";
import { groupInvitesV1 } from "@wharf/contract/v1";
import type { CreateDeps } from "../../engine/write/creates.ts";
import { createOrganizationWithInvite } from "../../iam/organization-invite.ts";
import { roleV1 } from "../../iam/v1-messages.ts";
import { filterOf } from "../../rpc/v1/filter.ts";
import { type AdaptedMethod, adapt, type Invoke, replyWith } from "../adapter.ts";
import { adaptList } from "../list.ts";

const {
  GroupInvites,
  GroupInviteSchema: GroupInviteV1Schema,
  StoredGroupInviteSchema,
} = groupInvitesV1;

/** The version 1 methods of group invites. Invites include the whole role, and their code when created. */
export function groupInviteMethods(invoke: Invoke, deps: CreateDeps): AdaptedMethod[] {
  return [
    adapt(invoke, {
      method: GroupInvites.method.create,
      target: GroupInvitesService.method.createGroupInvite,
      request: (request) => ({ parent: request.group, groupInvite: inviteV2(request) }),
      response: inviteV1,
      names: { parent: "group", roleUid: "role" },
    }),
    replyWith(
      GroupInvites.method.createWithGroup,
      { name: "group", roleUid: "role" },
      (request, call, replyOf) => {
        const input = create(GroupInviteSchema, inviteV2(request));
        return createOrganizationWithInvite(deps, call, request.group, input, (invite) =>
          replyOf(inviteV1(invite)),
        );
      },
    ),
    adaptList(invoke, {
      method: GroupInvites.method.list,
      target: GroupInvitesService.method.listGroupInvites,
      request({ group, id, keyId }) {
        const filter = filterOf(id);
        return filter && { uidp: Object.assign(filter, { childrenOf: group }), keyId };
      },
      items: ({ groupInvites }) => groupInvites,
      item: stored,
      names: { "uidp.childrenOf": "group" },
    }),
    adapt(invoke, {
      method: GroupInvites.method.delete,
      target: GroupInvitesService.method.deleteGroupInvite,
      request: ({ id }) => ({ uid: id }),
    }),
  ];
}

function inviteV2({ role, ttl, email, singleUse }: groupInvitesV1.GroupInviteRequest) {
  return { roleUid: role, ...(ttl && { ttl }), email, singleUse };
}

/** Translates a created invite to version 1. */
export function inviteV1(invite: GroupInvite): groupInvitesV1.GroupInvite {
  return create(GroupInviteV1Schema, { ...common(invite), code: invite.code });
}

function stored(invite: GroupInvite): groupInvitesV1.StoredGroupInvite {
  const { email, createTime, singleUse } = invite;
  return create(StoredGroupInviteSchema, {
    ...common(invite),
    email,
    createdAt: createTime,
    singleUse,
  });
}

function common({ uid, expirationTime, keyId, role }: GroupInvite) {
  return { id: uid, expiration: expirationTime, keyId, role: role && roleV1(role) };
}
