import { clone, create } from "@bufbuild/protobuf";
import {
  type BatchCreateRoleBindingsRequest,
  BatchCreateRoleBindingsResponseSchema,
  type Identity,
  IdentityKind,
  isRoot,
  parentOf,
  type RoleBinding,
  RoleBindingGroupSchema,
  RoleBindingIdentitySchema,
  RoleBindingRoleSchema,
  RoleBindingSchema,
  RoleBindingsService,
} from "@wharf/contract";
import { ANONYMOUS_UID } from "../auth/caller.ts";
import type { Catalog } from "../engine/catalog.ts";
import { Resource } from "../engine/resource.ts";
import type { CreateDeps } from "../engine/write/creates.ts";
import { Mutation } from "../engine/write/mutation.ts";
import { createOne } from "../engine/write/write.ts";
import { invalidArgument, mapViolations, notFound } from "../lib/errors.ts";
import type { Handler } from "../rpc/call.ts";
import { messageToJson } from "../rpc/json.ts";
import { messageReply } from "../rpc/reply.ts";
import type { Reader } from "../store/db/connection.ts";
import { checkBindingQuota } from "./binding-quota.ts";
import { checkGrantable } from "./granting.ts";
import { checkBindingRemoval, OWNER_ROLE } from "./owners.ts";
import { checkBindingIsUnique } from "./unique-siblings.ts";

/** Role bindings: one identity, one role, one group. */
export const roleBindings: Resource<RoleBinding> = new Resource({
  service: RoleBindingsService,
  schema: RoleBindingSchema,
  table: "role_bindings",
  changesAccess: true,
  grantsOf: "identity_uid",
  deleteIsIdempotent: true,
  index: {
    // A covering index for the grants of an identity.
    columns: [["identity_uid", "parent", "role_uid"]],
    filters: [
      {
        field: "identity",
        column: "identity_uid",
        type: "text",
        of: (binding) => binding.identityUid,
      },
      {
        field: "role",
        column: "role_uid",
        type: "text",
        of: (binding) => binding.roleUid,
        referencesRole: true,
      },
      {
        field: "identityKind",
        column: "identity_kind",
        type: "integer",
        of: ({ identityUid }) => kindOf(identityUid),
      },
      { field: "group", column: "parent", type: "common" },
    ],
  },
  hydrate,
  hooks: {
    async beforeCreate(mutation, created) {
      await checkBinding(mutation, created);
      await checkBindingIsUnique(mutation, created);
      await checkBindingQuota(mutation, created.identityUid, parentOf(created.uid));
    },
    async beforeUpdate(mutation, before, after) {
      await checkBinding(mutation, after);
      await checkBindingIsUnique(mutation, after);
      const { uid, roleUid, identityUid } = after;
      if (before.roleUid !== roleUid || before.identityUid !== identityUid) {
        const added = roleUid === OWNER_ROLE ? [identityUid] : [];
        await checkBindingRemoval(mutation, before, { binding: uid, added });
      }
      if (before.identityUid === after.identityUid) return;
      await checkBindingQuota(mutation, after.identityUid, parentOf(after.uid));
    },
    beforeDelete: (mutation, deleted) => checkBindingRemoval(mutation, deleted),
  },
  methods: (deps) => [[RoleBindingsService.method.batchCreateRoleBindings, batchCreate(deps)]],
});

/** Only people belong to no group. Anyone is nobody. */
function kindOf(identity: string): IdentityKind {
  if (!isRoot(identity)) return IdentityKind.WORKLOAD;
  return identity === ANONYMOUS_UID ? IdentityKind.UNSPECIFIED : IdentityKind.PERSON;
}

/** The identity must exist, and the caller must be able to grant the role at the group. */
async function checkBinding(mutation: Mutation, binding: RoleBinding): Promise<void> {
  const { deps, tx } = mutation;
  const group = parentOf(binding.uid);
  if (!(await deps.catalog.identities.table.keep(tx, binding.identityUid))) {
    throw notFound(deps.catalog.identities.typeName, binding.identityUid);
  }
  await checkGrantable(mutation, binding.roleUid, group);
}

async function hydrate(
  reader: Reader,
  bindings: readonly RoleBinding[],
  catalog: Catalog,
): Promise<void> {
  const identities = await catalog.identities.findMany(
    reader,
    bindings.map((one) => one.identityUid),
  );
  const roles = await catalog.roles.findMany(
    reader,
    bindings.map((one) => one.roleUid),
  );
  const groups = await catalog.groups.findMany(
    reader,
    bindings.map((one) => parentOf(one.uid)),
  );
  for (const binding of bindings) {
    const identity = identities.get(binding.identityUid);
    const group = groups.get(parentOf(binding.uid));
    const role = roles.get(binding.roleUid);
    if (identity !== undefined) binding.identity = shownIdentity(identity);
    if (group !== undefined) {
      const { uid, name, description } = group;
      binding.group = create(RoleBindingGroupSchema, { uid, name, description });
    }
    if (role !== undefined) {
      const { uid, name, description } = role;
      binding.role = create(RoleBindingRoleSchema, { uid, name, description });
    }
  }
}

/** An identity as role bindings show it. */
export function shownIdentity(identity: Identity) {
  const { uid, name, description, email, relationship, lastSeenTime } = identity;
  const shown = create(RoleBindingIdentitySchema, {
    uid,
    name,
    description,
    email,
    ...(lastSeenTime && { lastSeenTime }),
  });
  if (relationship.case === "claimMatch") {
    shown.issuer = relationship.value.iss.value ?? "";
    shown.subject = relationship.value.sub.value ?? "";
  } else if (relationship.case === "staticKeys") {
    shown.issuer = relationship.value.issuer;
    shown.subject = relationship.value.subject;
  }
  return shown;
}

/** Creates all bindings or none, in the order of the requests. */
function batchCreate(deps: CreateDeps): Handler {
  return async (call, message) => {
    const request = message as BatchCreateRoleBindingsRequest;
    const items = request.requests.map((_, at) => itemOf(request, at));
    return deps.creates.write(
      call,
      async (tx) => {
        const mutation = new Mutation(call, tx, deps, { events: "held" });
        const bindings: RoleBinding[] = [];
        for (const [at, binding] of items.entries()) {
          const made = createOne(mutation, roleBindings, request.parent, binding);
          const { row } = await made.catch((thrown) => {
            throw mapViolations(thrown, ({ field, description }) => {
              return { field: `requests[${at}].roleBinding.${field}`, description };
            });
          });
          bindings.push(roleBindings.fromRow(row));
        }
        const json = messageToJson(BatchCreateRoleBindingsResponseSchema, responseOf(bindings));
        const type = BatchCreateRoleBindingsResponseSchema.typeName;
        mutation.emitInstead(call.method, request.parent, { type, json });
        return bindings;
      },
      async (made, reader) => {
        await hydrate(reader, made, deps.catalog);
        return messageReply(BatchCreateRoleBindingsResponseSchema, responseOf(made));
      },
    );
  };
}

function responseOf(roleBindings: RoleBinding[]) {
  return create(BatchCreateRoleBindingsResponseSchema, { roleBindings });
}

/** One binding of a batch, with the role of the batch unless it has its own. */
function itemOf(batch: BatchCreateRoleBindingsRequest, at: number): RoleBinding {
  const item = batch.requests[at];
  const field = `requests[${at}]`;
  if (item?.roleBinding === undefined) {
    throw invalidArgument({
      field: `${field}.roleBinding`,
      description: "roleBinding is required",
    });
  }
  if (item.parent !== "" && item.parent !== batch.parent) {
    throw invalidArgument({
      field: `${field}.parent`,
      description: "parent must be the parent of the batch",
    });
  }
  const binding = clone(RoleBindingSchema, item.roleBinding);
  if (batch.roleUid !== "" && binding.roleUid !== "" && binding.roleUid !== batch.roleUid) {
    const description = "roleUid must be the roleUid of the batch";
    throw invalidArgument({ field: `${field}.roleBinding.roleUid`, description });
  }
  if (binding.roleUid === "") binding.roleUid = batch.roleUid;
  return binding;
}
