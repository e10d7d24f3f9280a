import { ancestorsOf } from "@wharf/contract";
import { type Origin, Origins } from "../../auth/origins.ts";
import type { ResourceAccess } from "../../engine/catalog.ts";
import type { SlicedTask } from "../../lib/scheduling/time-slices.ts";
import type { Call } from "../../rpc/call.ts";
import type { Reader } from "../../store/db/connection.ts";
import { bindingsAt, bindingsOf } from "../../store/tables/access/identity-bindings.ts";
import { mappedSessions } from "./mapped-sessions.ts";
import {
  comparePositions,
  type FoundGrants,
  type GrantsPage,
  type GrantsQuery,
  pageOf,
  withPosition,
} from "./query.ts";
import { rolesWith } from "./roles-with.ts";
import { mayReadOrigin } from "./visibility.ts";

/**
 * Role bindings and group mappings of an identity that the caller may read. The number of role bindings of an identity is
 * bounded, so all of them are read, from one index.
 */
export async function grantsOfIdentity(
  deps: Pick<ResourceAccess, "access" | "catalog">,
  reader: Reader,
  { caller, time }: Call,
  { resource, identity: uid, capability }: GrantsQuery,
  page: GrantsPage,
  task: SlicedTask,
): Promise<FoundGrants> {
  const { access, catalog } = deps;
  const identity = await catalog.identities.find(reader, uid);
  if (identity === undefined) return { grants: [], total: 0 };
  const isOwn = uid === caller.uid;
  const origins = new Origins(access, reader, identity);
  const login = isOwn && caller.session ? await access.session(caller.session, reader) : undefined;
  const sessions = isOwn
    ? [login].filter((one) => one !== undefined)
    : await mappedSessions(deps.access, reader, uid, time);
  const mapped = new Map<string, Origin>();
  for (const session of sessions) {
    for (const one of await origins.mappings(session, resource || undefined)) {
      mapped.set(one.mapping?.uid ?? "", one);
    }
  }
  const found: Origin[] = [...mapped.values()];
  const batches =
    resource === ""
      ? bindingsOf(reader, uid)
      : [await bindingsAt(reader, uid, [resource, ...ancestorsOf(resource)])];
  for await (const batch of batches) {
    for (const { id, group: scope, role } of batch) found.push({ id, scope, role });
    await task.pause();
  }
  const readable = found.filter((origin) => isOwn || mayReadOrigin(caller, origin));
  const roles = readable.map(({ role }) => role);
  const having =
    capability === undefined
      ? undefined
      : await rolesWith(deps.catalog, reader, roles, capability, task);
  const all = readable
    .filter(({ role }) => having?.has(role) ?? true)
    .map((origin) => withPosition({ ...origin, identity: uid }, true))
    .sort((a, b) => comparePositions(a.position, b.position));
  const { grants, total } = pageOf(all, page);
  const bound = grants.filter(({ mapping }) => mapping === undefined);
  const counted = await origins.bindings(
    bound.map(({ id, scope: group, role }) => ({ id, group, role })),
    login,
  );
  const obstacles = new Map(counted.map(({ id, obstacle }) => [id, obstacle]));
  return {
    grants: grants.map((one) => (one.mapping ? one : { ...one, obstacle: obstacles.get(one.id) })),
    total,
  };
}
