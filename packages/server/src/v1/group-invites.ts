import { create } from "@bufbuild/protobuf";
import { type GroupInvite, GroupInvitesService } from "@wharf/contract";
import { groupInvitesV1 } from "@wharf/contract/v1";
import { type Adapted, adapt, type Invoke } from "./adapter.ts";
import { adaptList, filterOf } from "./list.ts";
import { roleV1 } from "./roles.ts";

const { GroupInvites, GroupInviteSchema, StoredGroupInviteSchema } = groupInvitesV1;

/**
 * Group invites as version 1 has them: with all of their role, and their code where they are made.
 *
 * @example handlers.push(...groupInviteMethods(invoke));
 */
export function groupInviteMethods(invoke: Invoke): Adapted[] {
  return [
    adapt(invoke, {
      method: GroupInvites.method.create,
      onto: GroupInvitesService.method.createGroupInvite,
      request: ({ group, ttl, role, email, singleUse }) => ({
        parent: group,
        groupInvite: { roleUid: role, ttl, email, singleUse },
      }),
      answer: inviteV1,
      names: { parent: "group", roleUid: "role" },
    }),
    adaptList(invoke, {
      method: GroupInvites.method.list,
      onto: GroupInvitesService.method.listGroupInvites,
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
      onto: GroupInvitesService.method.deleteGroupInvite,
      request: ({ id }) => ({ uid: id }),
    }),
  ];
}

/**
 * An invite as version 1 shows it where it is made.
 *
 * @example inviteV1(invite).code
 */
export function inviteV1(invite: GroupInvite): groupInvitesV1.GroupInvite {
  return create(GroupInviteSchema, { ...common(invite), code: invite.code });
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
