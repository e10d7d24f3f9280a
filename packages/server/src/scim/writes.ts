import { randomUUID } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import { MAX_USER_AGENT_LENGTH } from "../engine/audit/audit.ts";
import type { WriteDeps } from "../engine/write/mutation.ts";
import type { Transaction } from "../store/db/commit/transaction.ts";
import type { Abandonable } from "../store/db/store.ts";
import { writeAudit } from "../store/tables/audit/audit-and-events.ts";
import { removeAllMembers, removeFromGroups } from "../store/tables/scim/members.ts";
import type { ScimKey, ScimRow } from "../store/tables/scim/resources.ts";
import { endSessionsOfDeactivated, keepingOwner } from "./deactivation.ts";
import {
  changeMembers,
  isAboutMembers,
  type MemberStep,
  memberStep,
  readMembers,
} from "./members.ts";
import { resourceNotFound, ScimError } from "./protocol/errors.ts";
import { applyPatch, readPatch } from "./protocol/patch.ts";
import { versionOf } from "./protocol/representation.ts";
import type { ScimKind } from "./protocol/schemas.ts";
import { type Json, readResource } from "./protocol/values.ts";
import { tableOf } from "./reads.ts";

/** An authorized write request. */
export interface WriteContext extends WriteDeps {
  readonly request: Abandonable;
  readonly provider: string;
  readonly time: number;
  readonly requestId: string;
  readonly remoteAddress: string;
  readonly userAgent: string;
  /** The If-Match header. */
  readonly ifMatch: string | undefined;
}

/** Creates a resource. */
export function createOne(context: WriteContext, kind: ScimKind, body: Json): Promise<ScimRow> {
  const { provider, time } = context;
  const attributes = readResource(kind, body);
  if (kind.name === "User") attributes.active ??= true;
  const members = kind.name === "Group" ? readMembers(body) : [];
  return writeLocked(context, async (tx) => {
    const row: ScimRow = {
      provider,
      resource: randomUUID(),
      created: time,
      updated: time,
      version: 1,
      ...columnsOf(kind, attributes),
    };
    await requireUnique(tx, kind, row);
    await tableOf(kind).insert(tx, row);
    await changeMembers(tx, provider, row.resource, [{ add: members }]);
    if (kind.name === "User") await endSessionsOfDeactivated(tx, provider, undefined, attributes);
    auditWrite(tx, context, "Create", kind, row.resource, attributes);
    return row;
  });
}

export function replaceOne(context: WriteContext, kind: ScimKind, id: string, body: Json) {
  const attributes = readResource(kind, body);
  const steps = kind.name === "Group" ? [{ replaceBy: readMembers(body) }] : [];
  return changeOne(context, kind, id, () => attributes, steps);
}

/** Applies PATCH operations atomically. */
export function patchOne(context: WriteContext, kind: ScimKind, id: string, body: Json) {
  const operations = readPatch(kind, body);
  const isOfMembers = (one: (typeof operations)[number]) =>
    kind.name === "Group" && isAboutMembers(one);
  const steps = operations.filter(isOfMembers).map(memberStep);
  const others = operations.filter((one) => !isOfMembers(one));
  return changeOne(context, kind, id, (before) => applyPatch(kind, before, others), steps);
}

function changeOne(
  context: WriteContext,
  kind: ScimKind,
  id: string,
  change: (before: Json) => Json,
  steps: readonly MemberStep[],
): Promise<ScimRow> {
  const { provider, time } = context;
  return writeLocked(context, async (tx) => {
    const row = await present(tx, context, kind, id);
    const before = JSON.parse(row.data) as Json;
    const after = { ...change(before) };
    // An omitted `active` must not reactivate a user.
    if (kind.name === "User") after.active ??= before.active;
    const moved = await changeMembers(tx, provider, id, steps);
    if (!moved && isDeepStrictEqual(before, after)) return row;
    const changed: ScimRow = {
      ...row,
      ...columnsOf(kind, after),
      // Clocks are set back, and those of replicas disagree.
      updated: Math.max(time, row.updated),
      version: row.version + 1,
    };
    await requireUnique(tx, kind, changed);
    const update = () => tableOf(kind).update(tx, changed);
    await (kind.name === "User" ? keepingOwner(tx, context, before, after, update) : update());
    if (kind.name === "User") await endSessionsOfDeactivated(tx, provider, before, after);
    auditWrite(tx, context, "Update", kind, id, after);
    return changed;
  });
}

/** Deletes a resource and its memberships. */
export function deleteOne(context: WriteContext, kind: ScimKind, id: string): Promise<void> {
  const { provider, time } = context;
  return writeLocked(context, async (tx) => {
    const row = await present(tx, context, kind, id);
    const remove = () => tableOf(kind).delete(tx, provider, id);
    if (kind.name === "User") {
      await removeFromGroups(tx, provider, id, time);
      const before = JSON.parse(row.data) as Json;
      await endSessionsOfDeactivated(tx, provider, before, undefined);
      await keepingOwner(tx, context, before, undefined, remove);
    } else {
      await removeAllMembers(tx, provider, id);
      await remove();
    }
    auditWrite(tx, context, "Delete", kind, id, {});
  });
}

/** Locks the identity provider, so that its writes are serialized and checks hold until commit. */
function writeLocked<T>(
  { catalog, store, request, provider }: WriteContext,
  work: (tx: Transaction) => Promise<T>,
): Promise<T> {
  return store.writeFor(request, async (tx) => {
    const { table, typeName } = catalog.identityProviders;
    if ((await table.findForChange(tx, provider)) === undefined)
      throw resourceNotFound(typeName, provider);
    return work(tx);
  });
}

/** The current resource, which must match If-Match. */
async function present(
  tx: Transaction,
  { provider, ifMatch }: WriteContext,
  kind: ScimKind,
  id: string,
): Promise<ScimRow> {
  const row = await tableOf(kind).find(tx, provider, id);
  if (row === undefined) throw resourceNotFound(kind.name, id);
  if (ifMatch === undefined || matchesVersion(ifMatch, row)) return row;
  throw new ScimError(412, `${kind.name} has changed: get it again`);
}

/** Whether a list of ETags (If-Match, If-None-Match) contains the version of a resource. */
export function matchesVersion(etags: string, row: ScimRow): boolean {
  const bare = (etag: string) => etag.trim().replace(/^W\//, "");
  const current = bare(versionOf(row));
  return etags.split(",").some((etag) => etag.trim() === "*" || bare(etag) === current);
}

function columnsOf(
  kind: ScimKind,
  attributes: Json,
): Pick<ScimRow, "name" | "external_id" | "data"> {
  return {
    name: String(attributes[kind.nameAttribute]).toLowerCase(),
    external_id: (attributes.externalId as string | undefined) ?? "",
    data: JSON.stringify(attributes),
  };
}

/** User names and external ids are unique. */
async function requireUnique(tx: Transaction, kind: ScimKind, row: ScimRow): Promise<void> {
  const taken = async (key: ScimKey, value: string) => {
    if (value === "") return false;
    const rows = await tableOf(kind).where(tx, row.provider, key, value);
    return rows.some((other) => other.resource !== row.resource);
  };
  const conflict = (attribute: string) =>
    new ScimError(409, `another ${kind.name} has this ${attribute}`, { scimType: "uniqueness" });
  if (kind.name === "User" && (await taken("name", row.name))) throw conflict("userName");
  if (await taken("external_id", row.external_id)) throw conflict("externalId");
}

function auditWrite(
  tx: Transaction,
  context: WriteContext,
  verb: "Create" | "Update" | "Delete",
  kind: ScimKind,
  id: string,
  { active }: Json,
): void {
  const { provider, time, requestId, remoteAddress, userAgent } = context;
  const detail = { [kind.name.toLowerCase()]: id, ...(active !== undefined && { active }) };
  writeAudit(tx, {
    time,
    actor: provider,
    method: `scim.v2/${verb}${kind.name}`,
    resource: provider,
    requestId,
    remoteAddress,
    userAgent: userAgent.slice(0, MAX_USER_AGENT_LENGTH),
    code: 0,
    detail: JSON.stringify(detail),
    resourceType: "IdentityProvider",
    via: "scim",
  });
}
