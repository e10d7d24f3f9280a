import { isDeepStrictEqual } from "node:util";
import { create } from "@bufbuild/protobuf";
import {
  builtinRole,
  Capability,
  depthOf,
  type Group,
  GroupSchema,
  GroupsService,
  isRoot,
  isUid,
  newChildUid,
  OrgKind,
  OrgStatus,
  parentOf,
  RoleBindingSchema,
} from "@wharf/contract";
import type { Reach } from "../auth/grants.ts";
import { clientOf } from "../auth/standing.ts";
import type { Mutation } from "../engine/mutation.ts";
import { QUOTAS } from "../engine/quotas.ts";
import { canSee, rangesFor } from "../engine/ranges.ts";
import { Resource } from "../engine/resource.ts";
import {
  failedPrecondition,
  invalidArgument,
  notFound,
  permissionDenied,
  unauthenticated,
  WharfError,
} from "../lib/errors.ts";
import type { Reader } from "../store/db/connection.ts";
import { readPage } from "../store/resources/page.ts";
import { bodyOf, encodingOf } from "../store/resources/rows.ts";
import { addMembership } from "../store/tables/provider-people.ts";
import type { IamDeps } from "./deps.ts";
import { checkNameAvailable, checkNameReleasable } from "./folder-names.ts";
import { beforeDelete, deleteGroup } from "./group-deletion.ts";

/** Groups: the tree that everything else hangs on. */
export const groups: Resource<Group> = new Resource({
  service: GroupsService,
  schema: GroupSchema,
  table: "groups",
  tree: { isScope: true },
  index: {
    filters: [
      { field: "name", column: "name", type: "common" },
      {
        column: "verified_name",
        type: "text",
        of: (group) => (group.verified ? group.name : ""),
        sparse: true,
      },
      {
        column: "last_step",
        type: "text",
        of: ({ uid }) => (isRoot(uid) ? "" : lastSegmentOf(uid)),
        sparse: true,
      },
    ],
  },
  hooks: ({ iam }) => ({
    resolveParent: (change, parent) => resolveParent(change, parent, iam),
    async beforeCreate(change, created) {
      checkQuotaChange(change, parentOf(created.uid), {}, created);
      // Nobody verifies a group by making it.
      created.verified = false;
      checkKind(created);
      created.status = OrgStatus.READY;
      await checkNameAvailable(change, created);
    },
    afterCreate: bindCreatorAsOwner,
    beforeUpdate,
    beforeDelete,
  }),
  methods: (engine) => [[GroupsService.method.deleteGroup, deleteGroup(engine)]],
});

/** Deeper than any organisation; keeps uids short enough for URLs, and a write to few places above it. */
export const MAX_GROUP_DEPTH = 32;

const CREATE = [Capability.CAP_IAM_GROUPS_CREATE];

/** The parent may be a uid, or what only one group in the caller's reach goes by. */
async function resolveParent(change: Mutation, parent: string, deps: IamDeps): Promise<string> {
  const { caller } = change;
  if (parent === "" || parent === "/") {
    mayCreateOrganization(change, deps);
    return "";
  }
  if (isUid(parent)) {
    change.mustHold(CREATE, parent);
    return checkParentGroup(change, parent);
  }
  const [only, another] = [
    ...(await findGroupsByName(change.tx, caller.grants.reach(CREATE), parent)),
    ...(await findGroupsBySuffix(change, parent)),
  ];
  if (only === undefined) throw notFound("Group", parent);
  if (another !== undefined) {
    throw invalidArgument({
      field: "parent",
      description: "several groups have this name: give a uid",
    });
  }
  return checkParentGroup(change, only.uid);
}

/**
 * The creator of an organization becomes its owner. A down-scoped token must not do that: its identity
 * would then hold more than the token's boundary allows.
 */
function mayCreateOrganization({ caller }: Mutation, { rootGroups }: IamDeps): void {
  if (caller.boundary !== undefined) {
    const text = "a down-scoped token cannot create an organization: its creator becomes the owner";
    throw new WharfError("PERMISSION_DENIED", text);
  }
  if (rootGroups === "anyone" || caller.isOperator) return;
  throw permissionDenied(["groups.create"], "");
}

async function checkParentGroup({ tx }: Mutation, uid: string): Promise<string> {
  if (depthOf(uid) >= MAX_GROUP_DEPTH) {
    const description = `groups are nested at most ${MAX_GROUP_DEPTH} deep`;
    throw invalidArgument({ field: "parent", description });
  }
  if (!(await groups.table.keep(tx, uid))) throw notFound("Group", uid);
  return uid;
}

/** Those whose uid ends in one or more steps, as clients shorten them. */
async function findGroupsBySuffix({ caller, tx }: Mutation, steps: string): Promise<Group[]> {
  const found = await groups.where(tx, { column: "last_step", value: lastSegmentOf(steps) });
  return found.filter(({ uid }) => uid.endsWith(`/${steps}`) && caller.grants.holds(CREATE, uid));
}

function lastSegmentOf(uid: string): string {
  return uid.slice(uid.lastIndexOf("/") + 1);
}

/**
 * At most two of the groups within reach that have this name: enough to know if it is one.
 *
 * @example const [only, another] = await groupsNamed(reader, grants.reach([]), "acme");
 */
export async function findGroupsByName(
  reader: Reader,
  reach: Reach,
  name: string,
): Promise<Group[]> {
  if ("scopes" in reach && reach.scopes.length > MANY_SCOPES) {
    return findNamesakes(reader, reach, name);
  }
  const found: Group[] = [];
  for (const range of rangesFor(groups.tree, reach, undefined)) {
    const rows = await readPage(
      reader,
      groups.table,
      { range, filters: [{ column: "name", value: name }], order: UID_ORDER, offset: 0, limit: 2 },
      "data",
    );
    found.push(
      ...rows.map((row) => groups.fromRow({ encoding: encodingOf(row), data: bodyOf(row) })),
    );
    if (found.length > 1) break;
  }
  return found;
}

/** Beyond this many scopes, groups are looked up by name first, and within the scopes after. */
const MANY_SCOPES = 100;

/** Groups of one name that are looked at. */
const MAX_NAMESAKES = 1_000;

async function findNamesakes(reader: Reader, reach: Reach, name: string): Promise<Group[]> {
  const uids = await groups.table.uidsNamed(reader, name, MAX_NAMESAKES + 1);
  if (uids.length > MAX_NAMESAKES) {
    const text = `too many groups are called ${JSON.stringify(name)} to find the one that is meant: give a uid`;
    throw new WharfError("RESOURCE_EXHAUSTED", text);
  }
  const within = uids.filter((uid) => canSee(groups.tree, reach, uid));
  return [...(await groups.findMany(reader, within.slice(0, 2))).values()];
}

const UID_ORDER = { column: "uid", descending: false } as const;

/** Whoever makes an organisation owns it. The operator does so anyway. */
async function bindCreatorAsOwner(change: Mutation, created: Group): Promise<void> {
  const { caller, engine, tx } = change;
  if (!isRoot(created.uid) || caller.isOperator) return;
  if (!(await engine.catalog.identities.table.keep(tx, caller.uid))) {
    throw unauthenticated("the token's identity does not exist");
  }
  const owner = { identityUid: caller.uid, roleUid: builtinRole("owner")?.uid ?? "" };
  const binding = engine.catalog.roleBindings.fromInput(
    create(RoleBindingSchema, owner),
    change.call.time,
  );
  binding.uid = newChildUid(created.uid);
  await change.insert(engine.catalog.roleBindings, binding);
  const session = caller.session ? await engine.access.session(caller.session, tx) : undefined;
  const client = session?.identity === caller.uid ? clientOf(session) : undefined;
  if (client) await addMembership(tx, { identity: caller.uid, scope: created.uid, ...client });
}

/** Only the operator says who is verified, under which name, and which kind of organisation that is. */
async function beforeUpdate(change: Mutation, before: Group, after: Group): Promise<void> {
  checkQuotaChange(change, after.uid, before.resourceLimits, after);
  checkKind(after);
  if (before.name !== after.name) {
    await checkNameReleasable(change, before);
    await checkNameAvailable(change, after);
  }
  const sameName = !after.verified || before.name === after.name;
  if (sameName && before.verified === after.verified && before.kind === after.kind) return;
  if (!change.caller.isOperator) throw permissionDenied(["the operator's token"], after.uid);
  if (!after.verified) return;
  if (!isRoot(after.uid)) {
    throw invalidArgument({ field: "verified", description: "only organisations can be verified" });
  }
  const { tx } = change;
  await tx.acquireLock();
  const namesakes = await groups.where(tx, { column: "verified_name", value: after.name });
  if (namesakes.some((other) => other.uid !== after.uid)) {
    throw failedPrecondition({
      type: "NAME_TAKEN",
      description: "another verified organisation has this name",
    });
  }
}

/** Only the operator says how much a group may hold; the same again says nothing. */
function checkQuotaChange(
  { caller }: Mutation,
  at: string,
  before: Group["resourceLimits"],
  { resourceLimits: after }: Group,
): void {
  if (isDeepStrictEqual({ ...before }, { ...after })) return;
  if (!caller.isOperator) throw permissionDenied(["the operator's token"], at);
  const known: readonly string[] = QUOTAS;
  const refused = Object.entries(after).flatMap(([name, most]) => {
    const field = `resourceLimits.${name}`;
    if (!known.includes(name))
      return [{ field, description: `${name} cannot be limited: ${known.join(", ")} can` }];
    return most < 0 ? [{ field, description: `${name} must not be negative` }] : [];
  });
  if (refused.length > 0) throw invalidArgument(...refused);
}

function checkKind(group: Group): void {
  if (!(group.kind in OrgKind)) {
    throw invalidArgument({ field: "kind", description: "kind must be one of the known kinds" });
  }
  if (group.kind !== OrgKind.UNSPECIFIED && !group.verified) {
    throw invalidArgument({
      field: "kind",
      description: "kind can be set on verified organisations only",
    });
  }
}
