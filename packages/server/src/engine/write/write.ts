import { clone, type DescField, type DescMethod, type Message } from "@bufbuild/protobuf";
import type { FieldMask } from "@bufbuild/protobuf/wkt";
import { isUid, newChildUid, newRootUid } from "@wharf/contract";
import { alreadyExists, invalidArgument, notFound } from "../../lib/errors.ts";
import type { Handler, Reply } from "../../rpc/call.ts";
import { fieldValue } from "../../rpc/fields.ts";
import { EMPTY_REPLY, messageReply, preparedReply } from "../../rpc/reply.ts";
import { mustBeUid, validate } from "../../rpc/validate.ts";
import type { Lock, LockMode, RowLock } from "../../store/db/commit/locked-rows.ts";
import type { Transaction } from "../../store/db/commit/transaction.ts";
import type { Reader } from "../../store/db/connection.ts";
import type { ResourceRow } from "../../store/resources/rows.ts";
import { changesOf } from "../audit/audit.ts";
import type { Hooks, ResourceMessage } from "../definition.ts";
import type { ResourceHooks } from "../hooks.ts";
import { enforceQuota } from "../quotas.ts";
import type { Resource } from "../resource.ts";
import { changedFields } from "./changed-fields.ts";
import type { CreateDeps } from "./creates.ts";
import { applyMask, type MaskPath, readMask, rejectImmutableChanges } from "./mask.ts";
import { Mutation, type WriteDeps } from "./mutation.ts";
import { nextUpdateTime } from "./update-time.ts";

/** The generic Create method. */
export function createMethod<R extends ResourceMessage>(
  resource: Resource<R>,
  method: DescMethod,
  deps: CreateDeps,
): Handler {
  const bodyField = fieldOfType(method, resource);
  const { locksOfCreate: hookLocks } = deps.hooks.of(resource);
  const locksOfCreate = (parent: string, input: R): readonly Lock[] => {
    const locks = lockOf(deps.catalog.groups, parent, "keep");
    const more = locks.length > 0 ? (hookLocks?.(parent, input) ?? []) : [];
    return [...locks, ...more.filter((lock) => !("name" in lock) || isPlain(lock.name))];
  };
  return async (call, request) => {
    const input = bodyOf<R>(request, bodyField);
    const { parent } = request as Message & { parent: string };
    return deps.creates.write(
      call,
      (tx) => createOne(new Mutation(call, tx, deps), resource, parent, input),
      ({ row, created }, reader) => reply(resource, deps.hooks, reader, row, created),
      locksOfCreate(parent, input),
    );
  };
}

/** Creates one resource within a mutation, by default with the hooks of its definition. */
export async function createOne<R extends ResourceMessage>(
  mutation: Mutation,
  resource: Resource<R>,
  parent: string,
  input: R,
  hooks: Hooks<R> = mutation.deps.hooks.of(resource),
): Promise<Created<R>> {
  const { definition } = resource;
  if (definition.changesAccess) await mutation.confirmAccess(parent);
  const created = resource.fromInput(input, mutation.call.time, mutation.keepsOutputOnly);
  hooks.applyDefaults?.(created, undefined, mutation.call);
  validate(definition.schema, created);
  const actualParent =
    (await hooks.resolveParent?.(mutation, parent)) ?? (await existingGroup(mutation, parent));
  if (definition.quota && mutation.enforcesQuotas)
    await enforceQuota(mutation, resource, actualParent);
  created.uid = await newUid(mutation, resource, actualParent);
  await hooks.beforeCreate?.(mutation, created);
  const row = await mutation.insert(resource, created);
  await hooks.afterCreate?.(mutation, created);
  return { row, created };
}

/** A new resource: as it is stored, and with the secrets that are not stored. */
export interface Created<R> {
  readonly row: ResourceRow;
  readonly created: R;
}

async function newUid<R extends ResourceMessage>(
  { tx }: Mutation,
  { tree, table, typeName }: Resource<R>,
  parent: string,
): Promise<string> {
  if (!tree.uidIsParent) return parent === "" ? newRootUid() : newChildUid(parent);
  // Rejected early where possible; the table's unique index rejects concurrent ones.
  if (await table.keep(tx, parent)) throw alreadyExists(typeName, parent);
  return parent;
}

async function existingGroup(mutation: Mutation, uid: string): Promise<string> {
  if (!(await mutation.deps.catalog.groups.table.keep(mutation.tx, uid))) {
    throw notFound(mutation.deps.catalog.groups.typeName, uid);
  }
  return uid;
}

/** The generic Update method. */
export function updateMethod<R extends ResourceMessage>(
  resource: Resource<R>,
  method: DescMethod,
  deps: WriteDeps,
): Handler {
  const { schema } = resource.definition;
  const bodyField = fieldOfType(method, resource);
  return async (call, request) => {
    const input = bodyOf<R>(request, bodyField);
    mustBeUid("uid", input.uid);
    const { updateMask } = request as Message & { updateMask?: FieldMask };
    const mask = readMask(schema, updateMask?.paths ?? [], input);
    const updated = await deps.store.writeFor(
      call,
      (tx) => updateOne(new Mutation(call, tx, deps), resource, input, mask),
      lockOf(resource, input.uid, "change"),
    );
    return reply(resource, deps.hooks, deps.store.reader, updated);
  };
}

/** Updates the fields of a resource that the mask names, within a mutation. */
export async function updateOne<R extends ResourceMessage>(
  mutation: Mutation,
  resource: Resource<R>,
  input: R,
  mask: readonly MaskPath[],
): Promise<ResourceRow> {
  const { definition, table } = resource;
  const { schema } = definition;
  const hooks = mutation.deps.hooks.of(resource);
  if (definition.changesAccess) await mutation.confirmAccess(input.uid);
  const row = await table.findForChange(mutation.tx, input.uid);
  if (row === undefined) throw notFound(resource.typeName, input.uid);
  const before = resource.fromRow(row);
  const after = clone(schema, before) as R;
  applyMask(after, clone(schema, input), mask);
  hooks.applyDefaults?.(after, before, mutation.call);
  validate(schema, after);
  rejectImmutableChanges(schema, before, after);
  after.updateTime = nextUpdateTime(before, mutation.call.time);
  await hooks.beforeUpdate?.(mutation, before, after, mask);
  const changed = changedFields(schema, before, after, mask);
  const detail = changesOf(resource, before, after, changed);
  return mutation.update(resource, after, undefined, {
    changedFields: changed,
    ...(detail && { detail }),
  });
}

/** The generic Delete method. */
export function deleteMethod<R extends ResourceMessage>(
  resource: Resource<R>,
  deps: WriteDeps,
): Handler {
  const { definition, table } = resource;
  return async (call, request) => {
    const { uid } = request as Message & { uid: string };
    const work = async (tx: Transaction) => {
      const mutation = new Mutation(call, tx, deps);
      if (definition.changesAccess) await mutation.confirmAccess(uid);
      const row = await table.findForChange(tx, uid);
      if (row === undefined) {
        if (definition.deleteIsIdempotent) return;
        throw notFound(resource.typeName, uid);
      }
      const stored = resource.fromRow(row);
      await deps.hooks.of(resource).beforeDelete?.(mutation, stored);
      await mutation.remove(resource, uid, stored);
    };
    await deps.store.writeFor(call, work, lockOf(resource, uid, "change"));
    return EMPTY_REPLY;
  };
}

/** The lock of the row that a write begins with, if it can exist: the statement serves a whole batch, and must not fail. */
function lockOf({ table }: Pick<Resource, "table">, uid: string, mode: LockMode): RowLock[] {
  return isUid(uid) ? [{ table, uid, mode }] : [];
}

/** Whether PostgreSQL can store a name; its validation comes later. */
function isPlain(name: string): boolean {
  return name.length <= 256 && name.isWellFormed() && !name.includes("\0");
}

async function reply<R extends ResourceMessage>(
  resource: Resource<R>,
  hooks: ResourceHooks,
  reader: Reader,
  row: ResourceRow,
  created?: R,
): Promise<Reply> {
  const { schema, secretOnCreate } = resource.definition;
  const hasSecret = created !== undefined && secretOnCreate !== undefined;
  if (!hooks.hydrates(resource) && !hasSecret) return preparedReply(row);
  const current = resource.fromRow(row);
  await hooks.hydrateDetail(resource, reader, current);
  if (hasSecret) current[secretOnCreate] = created[secretOnCreate];
  return messageReply(schema, current);
}

/** The field of a request that has the resource. */
function fieldOfType<R extends ResourceMessage>(
  method: DescMethod,
  resource: Resource<R>,
): DescField {
  const field = method.input.fields.find((one) => one.message === resource.definition.schema);
  if (field === undefined) throw new Error(`${method.name} does not take a ${resource.typeName}`);
  return field;
}

function bodyOf<R extends ResourceMessage>(request: Message, field: DescField): R {
  const body = fieldValue(request, field) as R | undefined;
  if (body !== undefined) return body;
  throw invalidArgument({ field: field.jsonName, description: `${field.jsonName} is required` });
}
