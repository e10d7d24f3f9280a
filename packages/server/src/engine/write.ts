import { clone, type DescField, type DescMethod, type Message } from "@bufbuild/protobuf";
import { type FieldMask, timestampFromMs } from "@bufbuild/protobuf/wkt";
import { newChildUid, newRootUid } from "@wharf/contract";
import { alreadyExists, invalidArgument, notFound } from "../lib/errors.ts";
import type { Handler, Reply } from "../rpc/call.ts";
import { fieldValue } from "../rpc/fields.ts";
import { EMPTY_REPLY, messageReply, preparedReply } from "../rpc/reply.ts";
import { mustBeUid, validate } from "../rpc/validate.ts";
import type { ResourceRow } from "../store/resources/rows.ts";
import type { ResourceMessage } from "./definition.ts";
import type { Engine } from "./engine.ts";
import { applyMask, type MaskPath, readMask, rejectImmutableChanges } from "./mask.ts";
import { Mutation } from "./mutation.ts";
import { enforceQuota } from "./quotas.ts";
import type { Resource } from "./resource.ts";

/**
 * The one implementation of every Create method.
 *
 * @example handlers.set("CreateGroup", createMethod(groups, method, engine));
 */
export function createMethod<R extends ResourceMessage>(
  resource: Resource<R>,
  method: DescMethod,
  engine: Engine,
): Handler {
  const bodyField = fieldOfType(method, resource);
  return async (call, request) => {
    const input = bodyOf<R>(request, bodyField);
    const { parent } = request as Message & { parent: string };
    const { row, created } = await engine.store.write((tx) => {
      return createOne(new Mutation(call, tx, engine), resource, parent, input);
    });
    return reply(resource, engine, row, created);
  };
}

/**
 * Creates one resource within a change.
 *
 * @example const binding = await createOne(change, roleBindings, group, given);
 */
export async function createOne<R extends ResourceMessage>(
  change: Mutation,
  resource: Resource<R>,
  parent: string,
  input: R,
): Promise<Created<R>> {
  const { definition } = resource;
  const hooks = change.engine.hooksOf(resource);
  if (definition.changesAccess) await change.confirmAccess(parent);
  const created = resource.fromInput(input, change.call.time);
  hooks.applyDefaults?.(created, undefined);
  validate(definition.schema, created);
  const place =
    (await hooks.resolveParent?.(change, parent)) ?? (await existingGroup(change, parent));
  if (definition.quota && change.enforcesQuotas) await enforceQuota(change, resource, place);
  created.uid = await newUid(change, resource, place);
  await hooks.beforeCreate?.(change, created);
  const row = await change.insert(resource, created);
  await hooks.afterCreate?.(change, created);
  return { row, created };
}

/** What was made: as it is stored, and with the secrets that are not. */
export interface Created<R> {
  readonly row: ResourceRow;
  readonly created: R;
}

async function newUid<R extends ResourceMessage>(
  { tx }: Mutation,
  { tree: kind, table, typeName }: Resource<R>,
  place: string,
): Promise<string> {
  if (!kind.uidIsParent) return place === "" ? newRootUid() : newChildUid(place);
  // Found here, a second one costs nobody else anything; the table itself keeps out the rest.
  if (await table.keep(tx, place)) throw alreadyExists(typeName, place);
  return place;
}

async function existingGroup(change: Mutation, uid: string): Promise<string> {
  if (!(await change.engine.catalog.groups.table.keep(change.tx, uid))) {
    throw notFound(change.engine.catalog.groups.typeName, uid);
  }
  return uid;
}

/**
 * The one implementation of every Update method.
 *
 * @example handlers.set("UpdateGroup", updateMethod(groups, method, engine));
 */
export function updateMethod<R extends ResourceMessage>(
  resource: Resource<R>,
  method: DescMethod,
  engine: Engine,
): Handler {
  const { schema } = resource.definition;
  const bodyField = fieldOfType(method, resource);
  return async (call, request) => {
    const input = bodyOf<R>(request, bodyField);
    mustBeUid("uid", input.uid);
    const { updateMask } = request as Message & { updateMask?: FieldMask };
    const mask = readMask(schema, updateMask?.paths ?? [], input);
    const updated = await engine.store.write((tx) => {
      return updateOne(new Mutation(call, tx, engine), resource, input, mask);
    });
    return reply(resource, engine, updated);
  };
}

/**
 * Changes one resource within a change: those fields of it that the mask names.
 *
 * @example const row = await updateOne(change, repos, given, readMask(RepoSchema, ["*"], given));
 */
export async function updateOne<R extends ResourceMessage>(
  change: Mutation,
  resource: Resource<R>,
  input: R,
  mask: readonly MaskPath[],
): Promise<ResourceRow> {
  const { definition, table } = resource;
  const { schema } = definition;
  const hooks = change.engine.hooksOf(resource);
  if (definition.changesAccess) await change.confirmAccess(input.uid);
  const row = await table.findForChange(change.tx, input.uid);
  if (row === undefined) throw notFound(resource.typeName, input.uid);
  const before = resource.fromRow(row);
  const after = clone(schema, before) as R;
  applyMask(after, clone(schema, input), mask);
  hooks.applyDefaults?.(after, before);
  validate(schema, after);
  rejectImmutableChanges(schema, before, after);
  after.updateTime = timestampFromMs(change.call.time);
  await hooks.beforeUpdate?.(change, before, after, mask);
  return change.update(resource, after);
}

/**
 * The one implementation of every Delete method.
 *
 * @example handlers.set("DeleteGroup", deleteMethod(groups, engine));
 */
export function deleteMethod<R extends ResourceMessage>(
  resource: Resource<R>,
  engine: Engine,
): Handler {
  const { definition, table } = resource;
  return async (call, request) => {
    const { uid } = request as Message & { uid: string };
    await engine.store.write(async (tx) => {
      const change = new Mutation(call, tx, engine);
      if (definition.changesAccess) await change.confirmAccess(uid);
      const row = await table.findForChange(tx, uid);
      if (row === undefined) {
        if (definition.deleteIsIdempotent) return;
        throw notFound(resource.typeName, uid);
      }
      await engine.hooksOf(resource).beforeDelete?.(change, resource.fromRow(row));
      await change.remove(resource, uid);
    });
    return EMPTY_REPLY;
  };
}

async function reply<R extends ResourceMessage>(
  resource: Resource<R>,
  engine: Engine,
  row: ResourceRow,
  created?: R,
): Promise<Reply> {
  const { schema, secretOnCreate } = resource.definition;
  const reveals = created !== undefined && secretOnCreate !== undefined;
  if (!engine.hydrates(resource) && !reveals) return preparedReply(row);
  const resourceNow = resource.fromRow(row);
  await engine.hydrateDetail(resource, engine.store.reader, resourceNow);
  if (reveals) resourceNow[secretOnCreate] = created[secretOnCreate];
  return messageReply(schema, resourceNow);
}

/** The field of a request that holds the resource itself. */
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
