import { ancestorsOf, isSelfOrBelow, rootOf } from "@wharf/contract";
import { Origins } from "../../auth/origins.ts";
import type { ResourceAccess } from "../../engine/catalog.ts";
import type { SlicedTask } from "../../lib/scheduling/time-slices.ts";
import type { Call } from "../../rpc/call.ts";
import type { Reader } from "../../store/db/connection.ts";
import {
  countBindingsAt,
  type GroupBindings,
  readBindingsAt,
} from "../../store/tables/access/access-grants.ts";
import {
  type FoundGrants,
  type GrantPosition,
  type GrantsPage,
  type GrantsQuery,
  type PositionedOrigin,
  pageOf,
  withPosition,
} from "./query.ts";
import { bindableRolesWith } from "./roles-with.ts";
import { mayReadBindings, mayReadMapping } from "./visibility.ts";

/** Grants that follow each other in a list. */
interface Segment {
  readonly total: number;
  /** The number of grants after a position. */
  rest(after: GrantPosition | undefined): number | Promise<number>;
  read(page: GrantsPage): Promise<readonly PositionedOrigin[]>;
}

/**
 * Role bindings and group mappings at a resource and above it that the caller may read. A group can have any number of
 * role bindings: these are read page by page, group by group. Group mappings are few.
 */
export async function grantsAtResource(
  deps: Pick<ResourceAccess, "access" | "catalog">,
  reader: Reader,
  { caller }: Call,
  { resource, capability }: GrantsQuery,
  { after, skip, limit }: GrantsPage,
  task: SlicedTask,
): Promise<FoundGrants> {
  const path = [resource, ...ancestorsOf(resource)].reverse();
  const roles =
    capability === undefined
      ? undefined
      : await bindableRolesWith(deps.catalog, reader, path, capability);
  const { externalGroupRoleMappings } = deps.catalog;
  const mappings = (await externalGroupRoleMappings.whereIn(reader, "root", [rootOf(resource)]))
    .filter(({ uid, scope }) => isSelfOrBelow(resource, scope) && mayReadMapping(caller, uid))
    .filter(({ roleUid }) => roles?.has(roleUid) ?? true)
    .map((mapping) => {
      const { scope, roleUid: role } = mapping;
      return withPosition({ id: 0, scope, role, mapping, identity: "" }, false);
    })
    .sort((a, b) => (a.position.key < b.position.key ? -1 : 1));
  const grants: PositionedOrigin[] = [];
  let total = 0;
  let toSkip = skip;
  for (const group of path) {
    const bindings = mayReadBindings(caller, group)
      ? [await bindingsSegment(reader, { group, roles: roles && [...roles] })]
      : [];
    const mapped = mappingsSegment(mappings.filter(({ scope }) => scope === group));
    for (const segment of [...bindings, mapped]) {
      total += segment.total;
      if (segment.total === 0 || grants.length === limit) continue;
      const passed = toSkip > 0 ? Math.min(toSkip, await segment.rest(after)) : 0;
      const page = { after, skip: passed, limit: limit - grants.length };
      grants.push(...(await segment.read(page)));
      toSkip -= passed;
    }
    await task.pause();
  }
  return { grants: await withObstacles(deps, reader, grants), total };
}

/** The role bindings at a group. */
async function bindingsSegment(reader: Reader, which: GroupBindings): Promise<Segment> {
  const total = await countBindingsAt(reader, which);
  const { key } = withPosition(
    { id: 0, scope: which.group, role: "", identity: "" },
    false,
  ).position;
  /** The row after which the segment continues; undefined if it is behind the position. */
  const startAfter = (after: GrantPosition | undefined): number | undefined => {
    if (after === undefined || after.key < key) return 0;
    return after.key === key ? after.id : undefined;
  };
  return {
    total,
    rest(after) {
      const start = startAfter(after);
      if (start === undefined) return 0;
      return start === 0 ? total : countBindingsAt(reader, which, start);
    },
    async read({ after, skip, limit }) {
      const start = startAfter(after);
      if (start === undefined) return [];
      const rows = await readBindingsAt(reader, which, { after: start, skip, limit });
      return rows.map(({ id, identity, role }) =>
        withPosition({ id, scope: which.group, role, identity }, false),
      );
    },
  };
}

function mappingsSegment(all: readonly PositionedOrigin[]): Segment {
  const everything = { skip: 0, limit: all.length };
  return {
    total: all.length,
    rest: (after) => pageOf(all, { after, ...everything }).grants.length,
    read: async (page) => pageOf(all, page).grants,
  };
}

/** Role bindings of people count where these are active. */
async function withObstacles(
  { access, catalog }: Pick<ResourceAccess, "access" | "catalog">,
  reader: Reader,
  grants: readonly PositionedOrigin[],
): Promise<PositionedOrigin[]> {
  const uids = grants.flatMap(({ identity }) => (identity === "" ? [] : [identity]));
  const identities = await catalog.identities.findMany(reader, uids);
  return Promise.all(
    grants.map(async (grant) => {
      const identity = identities.get(grant.identity);
      if (identity === undefined) return grant;
      const { id, scope: group, role } = grant;
      const origins = new Origins(access, reader, identity);
      const [counted] = await origins.bindings([{ id, group, role }], undefined);
      return { ...grant, ...counted };
    }),
  );
}
