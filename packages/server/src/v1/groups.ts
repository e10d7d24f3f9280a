import { create } from "@bufbuild/protobuf";
import { type Group, GroupsService } from "@wharf/contract";
import { groupsV1 } from "@wharf/contract/v1";
import type { Call } from "../rpc/call.ts";
import { type Adapted, adapt, type Invoke } from "./adapter.ts";
import { adaptList, filterOf } from "./list.ts";

const { Groups, GroupSchema } = groupsV1;

/**
 * Groups as version 1 has them.
 *
 * @example handlers.push(...groupMethods(invoke));
 */
export function groupMethods(invoke: Invoke): Adapted[] {
  return [
    adapt(invoke, {
      method: Groups.method.create,
      onto: GroupsService.method.createGroup,
      request: ({ parent, group }) => ({ parent, ...(group && { group: toV2(group) }) }),
      answer: groupV1,
    }),
    adapt(invoke, {
      method: Groups.method.update,
      onto: GroupsService.method.updateGroup,
      request: (group, call) => ({
        group: toV2(group),
        updateMask: { paths: replaced(group, call) },
      }),
      answer: groupV1,
    }),
    adaptList(invoke, {
      method: Groups.method.list,
      onto: GroupsService.method.listGroups,
      request({ id, uidp, name }) {
        const filter = filterOf(id, uidp);
        return filter && { uidp: filter, name };
      },
      items: ({ groups }) => groups,
      item: groupV1,
    }),
    adapt(invoke, {
      method: Groups.method.delete,
      onto: GroupsService.method.deleteGroup,
      request: ({ id }) => ({ uid: id }),
    }),
  ];
}

/**
 * What a PUT replaces. Only the operator can change what only the operator sets, so from others
 * leaving that out means nothing; what they do send is told on, and refused there.
 */
function replaced({ verified, kind, resourceLimits }: groupsV1.Group, { caller }: Call): string[] {
  const all = caller.isOperator;
  return [
    "name",
    "description",
    ...(all || Object.keys(resourceLimits).length > 0 ? ["resource_limits"] : []),
    ...(all || verified ? ["verified"] : []),
    ...(all || kind !== 0 ? ["kind"] : []),
  ];
}

function toV2({ id, name, description, resourceLimits, verified, kind }: groupsV1.Group) {
  // Kinds have the same numbers in both versions.
  return { uid: id, name, description, resourceLimits, verified, kind: kind as number };
}

/**
 * A group as version 1 shows it.
 *
 * @example groupV1(group).id
 */
export function groupV1({ uid, name, description, resourceLimits, verified, kind, status }: Group) {
  return create(GroupSchema, {
    id: uid,
    name,
    description,
    resourceLimits: { ...resourceLimits },
    verified,
    kind: kind as number,
    status: status as number,
  });
}
