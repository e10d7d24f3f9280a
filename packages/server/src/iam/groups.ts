import { isDeepStrictEqual } from "node:util";
import { create } from "@bufbuild/protobuf";
import {
  builtinRole,
  Capability,
  CheckEligibilityResponseSchema,
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
import { canSee, rangesFor } from "../engine/list/ranges.ts";
import { QUOTAS } from "../engine/quotas.ts";
import { Resource } from "../engine/resource.ts";
import type { Mutation } from "../engine/write/mutation.ts";
import {
  failedPrecondition,
  invalidArgument,
  notFound,
  permissionDenied,
  unauthenticated,
  WharfError,
} from "../lib/errors.ts";
import type { Handler } from "../rpc/call.ts";
import { messageReply } from "../rpc/reply.ts";
import type { Reader } from "../store/db/connection.ts";
import { readList } from "../store/resources/list.ts";
import { bodyOf, encodingOf } from "../store/resources/rows.ts";
import { addMembership } from "../store/tables/login/provider-people.ts";
import type { IamDeps } from "./deps.ts";
import {
  checkNameAvailable,
  checkNameReleasable,
  checkNotFormer,
  checkNothingIsLeft,
  checkPathsAreFree,
  moveImages,
} from "./folder-names.ts";
import { beforeDelete, deleteGroup } from "./group-deletion.ts";

/** Groups: the tree that all other resources are part of. A root group is an organization. */
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
  hooks: ({ iam, registry }) => ({
    resolveParent: (mutation, parent) => resolveParent(mutation, parent, iam),
    locksOfCreate: (parent, { name }) => [{ table: groups.table, parent, name }],
    async beforeCreate(mutation, created) {
      checkQuotaChange(mutation, parentOf(created.uid), {}, created);
      // Only the operator verifies groups, with Update.
      created.verified = false;
      checkKind(created);
      created.status = OrgStatus.READY;
      await checkNameAvailable(mutation, created, true);
      // A push and a reconcile pass create the folders of images that the registry has already.
      if (mutation.call.via !== "registry")
        await checkNothingIsLeft(mutation, created, registry.attached);
    },
    afterCreate: bindCreatorAsOwner,
    beforeUpdate: (mutation, before, after) =>
      beforeUpdate(mutation, before, after, registry.hosts()),
    beforeDelete: (mutation, deleted) => beforeDelete(mutation, deleted, registry.hosts()),
  }),
  methods: (deps) => [
    [GroupsService.method.deleteGroup, deleteGroup(deps)],
    [GroupsService.method.lookupGroup, lookupGroup],
    [GroupsService.method.checkEligibility, checkEligibility],
  ],
});

/** Organizations are joined by invite, so clients that look for one to join find none. */
const lookupGroup: Handler = async () => {
  throw new WharfError("NOT_FOUND", "no organization accepts requests to join: ask for an invite");
};

const checkEligibility: Handler = async () =>
  messageReply(CheckEligibilityResponseSchema, create(CheckEligibilityResponseSchema));

/** Keeps uids short enough for URLs, and bounds the ancestors whose counts a write updates. */
export const MAX_GROUP_DEPTH = 32;

const CREATE = [Capability.CAP_IAM_GROUPS_CREATE];

/** The parent is a uid, or a name or uid suffix that is unique within the caller's reach. */
async function resolveParent(mutation: Mutation, parent: string, deps: IamDeps): Promise<string> {
  const { caller } = mutation;
  if (parent === "" || parent === "/") {
    mayCreateOrganization(mutation, deps);
    return "";
  }
  if (isUid(parent)) {
    mutation.mustHold(CREATE, parent);
    return checkParentGroup(mutation, parent);
  }
  const [only, another] = [
    ...(await findGroupsByName(mutation.tx, caller.grants.reach(CREATE), parent)),
    ...(await findGroupsBySuffix(mutation, parent)),
  ];
  if (only === undefined) throw notFound("Group", parent);
  if (another !== undefined) {
    throw invalidArgument({
      field: "parent",
      description: "several groups have this name: give a uid",
    });
  }
  return checkParentGroup(mutation, only.uid);
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
  const text = "only the operator creates organizations here: needs the operator's token";
  throw new WharfError("PERMISSION_DENIED", text);
}

async function checkParentGroup({ tx }: Mutation, uid: string): Promise<string> {
  if (depthOf(uid) >= MAX_GROUP_DEPTH) {
    const description = `groups are nested at most ${MAX_GROUP_DEPTH} deep`;
    throw invalidArgument({ field: "parent", description });
  }
  if (!(await groups.table.keep(tx, uid))) throw notFound("Group", uid);
  return uid;
}

/** Groups whose uid ends in these segments, as clients abbreviate uids. */
async function findGroupsBySuffix({ caller, tx }: Mutation, steps: string): Promise<Group[]> {
  const found = await groups.where(tx, { column: "last_step", value: lastSegmentOf(steps) });
  return found.filter(({ uid }) => uid.endsWith(`/${steps}`) && caller.grants.holds(CREATE, uid));
}

function lastSegmentOf(uid: string): string {
  return uid.slice(uid.lastIndexOf("/") + 1);
}

/** At most two groups within reach with a name: enough to know whether it is unique. */
export async function findGroupsByName(
  reader: Reader,
  reach: Reach,
  name: string,
): Promise<Group[]> {
  if ("scopes" in reach && reach.scopes.length > MANY_SCOPES) {
    return findNamesakes(reader, reach, name);
  }
  const { rows } = await readList(
    reader,
    groups.table,
    {
      ranges: rangesFor(groups.tree, reach, undefined),
      filters: [{ column: "name", value: name }],
      order: UID_ORDER,
      offset: 0,
      limit: 2,
      manyRanges: MANY_SCOPES,
    },
    "data",
  );
  return rows.map((row) =>
    groups.fromRow({ encoding: encodingOf(row), data: bodyOf<"data">(row) }),
  );
}

/** Beyond this many scopes, groups are looked up by name first and filtered by scope after. */
const MANY_SCOPES = 100;

/** Groups of one name that are filtered by scope. */
const MAX_NAMESAKES = 1_000;

async function findNamesakes(reader: Reader, reach: Reach, name: string): Promise<Group[]> {
  const uids = await groups.table.uidsNamed(reader, name, MAX_NAMESAKES + 1);
  if (uids.length > MAX_NAMESAKES) {
    const text = `too many groups are named ${JSON.stringify(name)}: give a uid`;
    throw new WharfError("RESOURCE_EXHAUSTED", text);
  }
  const within = uids.filter((uid) => canSee(groups.tree, reach, uid));
  return [...(await groups.findMany(reader, within.slice(0, 2))).values()];
}

const UID_ORDER = { column: "uid", descending: false } as const;

/** The creator of an organization becomes its owner. The operator needs no binding. */
async function bindCreatorAsOwner(mutation: Mutation, created: Group): Promise<void> {
  const { caller, deps, tx } = mutation;
  if (!isRoot(created.uid) || caller.isOperator) return;
  if (!(await deps.catalog.identities.table.keep(tx, caller.uid))) {
    throw unauthenticated("the token's identity does not exist");
  }
  const owner = { identityUid: caller.uid, roleUid: builtinRole("owner")?.uid ?? "" };
  const binding = deps.catalog.roleBindings.fromInput(
    create(RoleBindingSchema, owner),
    mutation.call.time,
  );
  binding.uid = newChildUid(created.uid);
  await mutation.insert(deps.catalog.roleBindings, binding);
  const session = caller.session ? await deps.access.session(caller.session, tx) : undefined;
  const client = session?.identity === caller.uid ? clientOf(session) : undefined;
  if (client) await addMembership(tx, { identity: caller.uid, scope: created.uid, ...client });
}

/** Only the operator verifies organizations, renames verified ones, and sets their kind. */
async function beforeUpdate(
  mutation: Mutation,
  before: Group,
  after: Group,
  registries: readonly string[],
): Promise<void> {
  checkQuotaChange(mutation, after.uid, before.resourceLimits, after);
  checkKind(after);
  if (before.name !== after.name) {
    await checkNameReleasable(mutation, before, registries);
    await checkNameAvailable(mutation, after, false);
  }
  const sameName = !after.verified || before.name === after.name;
  const isUnrestricted =
    sameName && before.verified === after.verified && before.kind === after.kind;
  if (!isUnrestricted && !mutation.caller.isOperator) {
    throw permissionDenied(["the operator's token"], after.uid);
  }
  if (before.name !== after.name) {
    await moveImages(mutation, before, after, registries);
    await checkNothingIsLeft(mutation, after, registries);
  }
  if (isUnrestricted || !after.verified) return;
  if (!isRoot(after.uid)) {
    throw invalidArgument({ field: "verified", description: "only organizations can be verified" });
  }
  const { tx } = mutation;
  await tx.acquireLock();
  const namesakes = await groups.where(tx, { column: "verified_name", value: after.name });
  if (namesakes.some((other) => other.uid !== after.uid)) {
    throw failedPrecondition({
      type: "NAME_TAKEN",
      description: "another verified organization has this name",
    });
  }
  await checkNotFormer(mutation, after);
  await checkPathsAreFree(mutation, after, registries);
}

/** Only the operator sets quotas; sending the stored ones again is allowed. */
function checkQuotaChange(
  { caller }: Mutation,
  at: string,
  before: Group["resourceLimits"],
  { resourceLimits: after }: Group,
): void {
  if (isDeepStrictEqual({ ...before }, { ...after })) return;
  if (!caller.isOperator) throw permissionDenied(["the operator's token"], at);
  const known: readonly string[] = QUOTAS;
  const violations = Object.entries(after).flatMap(([name, max]) => {
    const field = `resourceLimits.${name}`;
    if (!known.includes(name))
      return [{ field, description: `${name} has no quota: use ${known.join(", ")}` }];
    return max < 0 ? [{ field, description: `${name} must not be negative` }] : [];
  });
  if (violations.length > 0) throw invalidArgument(...violations);
}

function checkKind(group: Group): void {
  if (!(group.kind in OrgKind)) {
    throw invalidArgument({ field: "kind", description: "kind must be one of the known kinds" });
  }
  if (group.kind !== OrgKind.UNSPECIFIED && !group.verified) {
    throw invalidArgument({
      field: "kind",
      description: "kind can be set on verified organizations only",
    });
  }
}
