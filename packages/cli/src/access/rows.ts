import { timestampMs } from "@bufbuild/protobuf/wkt";
import type { ExternalGroupRoleMapping, PersonSession, RoleBinding } from "@wharf/client";
import { isRoot, parentOf } from "@wharf/contract";
import type { Context } from "../context.ts";
import { type Column, textOf, UID } from "../output/columns.ts";
import { problemOf } from "../problem.ts";
import { capabilityNames } from "../resolve/capabilities.ts";
import { roleOf, subjectOf } from "../resolve/kinds.ts";
import type { RoleSummary } from "../resolve/roles.ts";

/** A role binding or group mapping that grants access. */
export interface Row {
  /** The uid of the binding or mapping. */
  readonly uid: string;
  /** Name or address of the identity; for a mapping, the group at the provider. */
  readonly who: string;
  readonly identityUid?: string | undefined;
  readonly role: string;
  readonly roleUid: string;
  /** The scope of the grant. */
  readonly group: string;
  readonly groupUid: string;
  readonly via: string;
  /** Active sessions; undefined if the caller is not allowed to list them. */
  readonly sessions?: number | undefined;
  /** Undefined if the caller is not allowed to see the role. */
  readonly capabilities?: readonly string[] | undefined;
}

export const ROW_COLUMNS: readonly Column<Row>[] = [
  { header: "Who", value: ({ who }) => who },
  { header: "Role", value: ({ role }) => role },
  { header: "From", value: ({ group, groupUid }) => group || groupUid },
  { header: "Via", value: ({ via }) => via },
  { header: "Sessions", value: ({ sessions }) => textOf(sessions) },
  { header: "Identity UID", value: ({ identityUid }) => identityUid, wide: true },
  { header: "Role UID", value: ({ roleUid }) => roleUid, wide: true },
  { header: "Group UID", value: ({ groupUid }) => groupUid, wide: true },
  UID,
  { header: "Capabilities", value: ({ capabilities }) => capabilities, wide: true },
];

export interface RowOptions {
  readonly roles: ReadonlyMap<string, RoleSummary>;
  readonly sessions: SessionCounts;
  /** The resource of the query, if any. */
  readonly resource?: string | undefined;
}

export function bindingRow(binding: RoleBinding, { roles, sessions, resource }: RowOptions): Row {
  const { uid, identityUid, roleUid, group } = binding;
  const groupUid = parentOf(uid);
  return {
    uid,
    who: subjectOf(binding),
    identityUid,
    role: roleOf(binding),
    roleUid,
    group: group?.name ?? "",
    groupUid,
    via: resource === undefined || resource === groupUid ? "binding" : "binding above",
    // Only people have sessions, and they belong to no group.
    sessions: isRoot(identityUid) ? sessions.ofIdentity(identityUid) : undefined,
    capabilities: capabilitiesOf(roles.get(roleUid)),
  };
}

export function mappingRow(
  { uid, externalGroupId, roleUid, scope }: ExternalGroupRoleMapping,
  { roles, sessions }: RowOptions,
  { provider, group }: { readonly provider: string; readonly group: string },
): Row {
  return {
    uid,
    who: externalGroupId,
    role: roles.get(roleUid)?.name ?? roleUid,
    roleUid,
    group,
    groupUid: scope,
    via: `group of ${provider}`,
    sessions: sessions.ofMapping(uid),
    capabilities: capabilitiesOf(roles.get(roleUid)),
  };
}

function capabilitiesOf(role: RoleSummary | undefined): readonly string[] | undefined {
  return role && capabilityNames(role.capabilities);
}

const CONCURRENCY = 8;

/** Active sessions per identity and per group mapping; undefined where they are not visible. */
export interface SessionCounts {
  ofIdentity(uid: string): number | undefined;
  ofMapping(uid: string): number | undefined;
}

export interface ActiveSessions extends SessionCounts {
  /** The mappings that apply in sessions of an identity. */
  mappingsOf(identity: string): ReadonlySet<string>;
}

/** Reads the active sessions of identity providers that the caller is allowed to list. */
export async function activeSessions(
  context: Context,
  providers: readonly string[],
  identity = "",
): Promise<ActiveSessions> {
  const found: PersonSession[] = [];
  const visible = new Set<string>();
  for (let start = 0; start < providers.length; start += CONCURRENCY) {
    const batch = providers.slice(start, start + CONCURRENCY);
    const lists = await Promise.all(batch.map((uid) => sessionsOf(context, uid, identity)));
    for (const [index, sessions] of lists.entries()) {
      if (sessions === undefined) continue;
      visible.add(batch[index] as string);
      found.push(...sessions);
    }
  }
  const count = (matches: (session: PersonSession) => boolean) => found.filter(matches).length;
  return {
    ofIdentity: (uid) =>
      visible.size === 0 ? undefined : count((session) => session.identity === uid),
    ofMapping: (uid) =>
      visible.has(parentOf(uid))
        ? count((session) => session.externalGroupRoleMappings.includes(uid))
        : undefined,
    mappingsOf: (uid) =>
      new Set(
        found
          .filter((session) => session.identity === uid)
          .flatMap((session) => session.externalGroupRoleMappings),
      ),
  };
}

/** The active sessions of a provider; undefined if the caller is not allowed to list them. */
async function sessionsOf(
  { client, signal }: Context,
  identityProvider: string,
  identity: string,
): Promise<PersonSession[] | undefined> {
  const { sessions } = await client();
  try {
    const all = await Array.fromAsync(sessions.listAll({ identityProvider, identity }, { signal }));
    return all.filter(({ expireTime }) => !expireTime || timestampMs(expireTime) > Date.now());
  } catch (error) {
    if (["PERMISSION_DENIED", "NOT_FOUND"].includes(problemOf(error).code ?? "")) return undefined;
    throw error;
  }
}
