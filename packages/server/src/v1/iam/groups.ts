import { GroupsService } from "@wharf/contract";
import { groupsV1 } from "@wharf/contract/v1";
import { groupV1 } from "../../iam/v1-messages.ts";
import type { Call } from "../../rpc/call.ts";
import { filterOf } from "../../rpc/v1/filter.ts";
import { type AdaptedMethod, adapt, type Invoke } from "../adapter.ts";
import { adaptList } from "../list.ts";

const { Groups } = groupsV1;

/** The version 1 methods of groups. */
export function groupMethods(invoke: Invoke): AdaptedMethod[] {
  return [
    adapt(invoke, {
      method: Groups.method.create,
      target: GroupsService.method.createGroup,
      request: ({ parent, group }) => ({ parent, ...(group && { group: toV2(group) }) }),
      response: groupV1,
    }),
    adapt(invoke, {
      method: Groups.method.update,
      target: GroupsService.method.updateGroup,
      request: (group, call) => ({
        group: toV2(group),
        updateMask: { paths: updatePaths(group, call) },
      }),
      response: groupV1,
    }),
    adaptList(invoke, {
      method: Groups.method.list,
      target: GroupsService.method.listGroups,
      request({ id, uidp, name }) {
        const filter = filterOf(id, uidp);
        return filter && { uidp: filter, name };
      },
      items: ({ groups }) => groups,
      item: groupV1,
    }),
    adapt(invoke, {
      method: Groups.method.lookupGroup,
      target: GroupsService.method.lookupGroup,
      request: () => ({}),
      response: ({ group }) => ({ ...(group && { group: groupV1(group) }) }),
    }),
    adapt(invoke, {
      method: Groups.method.checkEligibility,
      target: GroupsService.method.checkEligibility,
      request: () => ({}),
      response: ({ eligible }) => ({ eligible }),
    }),
    adapt(invoke, {
      method: Groups.method.delete,
      target: GroupsService.method.deleteGroup,
      request: ({ id }) => ({ uid: id }),
    }),
  ];
}

/**
 * The update mask of a PUT. Some fields only the operator may set: an empty one from another caller means
 * that it is not set, while a value is passed on and rejected by version 2.
 */
function updatePaths(
  { verified, kind, resourceLimits }: groupsV1.Group,
  { caller }: Call,
): string[] {
  const { isOperator } = caller;
  return [
    "name",
    "description",
    ...(isOperator || Object.keys(resourceLimits).length > 0 ? ["resource_limits"] : []),
    ...(isOperator || verified ? ["verified"] : []),
    ...(isOperator || kind !== 0 ? ["kind"] : []),
  ];
}

function toV2({ id, name, description, resourceLimits, verified, kind }: groupsV1.Group) {
  // Kinds have the same numbers in both versions.
  return { uid: id, name, description, resourceLimits, verified, kind: kind as number };
}
