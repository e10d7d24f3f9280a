import { randomUUID } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import { MAX_USER_AGENT_LENGTH } from "../engine/audit.ts";
import type { Engine } from "../engine/engine.ts";
import type { Transaction } from "../store/db/group-commit.ts";
import { writeAudit } from "../store/tables/audit-and-events.ts";
import { removeAllMembers, removeFromGroups } from "../store/tables/scim-members.ts";
import type { ScimKey, ScimRow } from "../store/tables/scim-resources.ts";
import { settleSessions } from "./deactivation.ts";
import {
  changeMembers,
  isAboutMembers,
  type MemberStep,
  memberStep,
  readMembers,
} from "./members.ts";
import { noResource, ScimError } from "./protocol/errors.ts";
import { applyPatch, readPatch } from "./protocol/patch.ts";
import { versionOf } from "./protocol/representation.ts";
import type { ScimKind } from "./protocol/schemas.ts";
import { type Json, readResource } from "./protocol/values.ts";
import { tableOf } from "./reads.ts";

/** A request that changes something, of an identity provider that may. */
export interface Writing {
  readonly engine: Engine;
  readonly provider: string;
  readonly time: number;
  readonly requestId: string;
  readonly remoteAddress: string;
  readonly userAgent: string;
  /** The versions that the resource must have, as they came. */
  readonly ifMatch: string | undefined;
}

/** Makes a resource from what was sent. */
export function createOne(writing: Writing, kind: ScimKind, body: Json): Promise<ScimRow> {
  const { provider, time } = writing;
  const attributes = readResource(kind, body);
  if (kind.name === "User") attributes.active ??= true;
  const members = kind.name === "Group" ? readMembers(body) : [];
  return inTurn(writing, async (tx) => {
    const row: ScimRow = {
      provider,
      resource: randomUUID(),
      created: time,
      updated: time,
      version: 1,
      ...columnsOf(kind, attributes),
    };
    await refuseTaken(tx, kind, row);
    await tableOf(kind).insert(tx, row);
    await changeMembers(tx, provider, row.resource, [{ add: members }]);
    if (kind.name === "User") await settleSessions(tx, provider, undefined, attributes);
    await record(tx, writing, "Create", kind, row.resource, attributes);
    return row;
  });
}

/** Puts what was sent in place of what was there. */
export function replaceOne(writing: Writing, kind: ScimKind, id: string, body: Json) {
  const attributes = readResource(kind, body);
  const steps = kind.name === "Group" ? [{ replaceBy: readMembers(body) }] : [];
  return changeOne(writing, kind, id, () => attributes, steps);
}

/** Carries out the operations that were sent, all or none. */
export function patchOne(writing: Writing, kind: ScimKind, id: string, body: Json) {
  const operations = readPatch(kind, body);
  const isOfMembers = (one: (typeof operations)[number]) =>
    kind.name === "Group" && isAboutMembers(one);
  const steps = operations.filter(isOfMembers).map(memberStep);
  const others = operations.filter((one) => !isOfMembers(one));
  return changeOne(writing, kind, id, (before) => applyPatch(kind, before, others), steps);
}

function changeOne(
  writing: Writing,
  kind: ScimKind,
  id: string,
  change: (before: Json) => Json,
  steps: readonly MemberStep[],
): Promise<ScimRow> {
  const { provider, time } = writing;
  return inTurn(writing, async (tx) => {
    const row = await present(tx, writing, kind, id);
    const before = JSON.parse(row.data) as Json;
    const after = { ...change(before) };
    // Nobody is let in again because a request does not mention it.
    if (kind.name === "User") after.active ??= before.active;
    const moved = await changeMembers(tx, provider, id, steps);
    if (!moved && isDeepStrictEqual(before, after)) return row;
    const changed: ScimRow = {
      ...row,
      ...columnsOf(kind, after),
      updated: time,
      version: row.version + 1,
    };
    await refuseTaken(tx, kind, changed);
    await tableOf(kind).update(tx, changed);
    if (kind.name === "User") await settleSessions(tx, provider, before, after);
    await record(tx, writing, "Update", kind, id, after);
    return changed;
  });
}

/** Deletes a resource, and takes it out of what it belongs to. */
export function deleteOne(writing: Writing, kind: ScimKind, id: string): Promise<void> {
  const { provider, time } = writing;
  return inTurn(writing, async (tx) => {
    const row = await present(tx, writing, kind, id);
    if (kind.name === "User") {
      await removeFromGroups(tx, provider, id, time);
      await settleSessions(tx, provider, JSON.parse(row.data) as Json, undefined);
    } else await removeAllMembers(tx, provider, id);
    await tableOf(kind).delete(tx, provider, id);
    await record(tx, writing, "Delete", kind, id, {});
  });
}

/** Writes of one identity provider take turns, so that what is checked holds until it is written. */
function inTurn<T>(
  { engine, provider }: Writing,
  work: (tx: Transaction) => Promise<T>,
): Promise<T> {
  return engine.store.write(async (tx) => {
    const { table, typeName } = engine.catalog.identityProviders;
    if ((await table.findForChange(tx, provider)) === undefined)
      throw noResource(typeName, provider);
    return work(tx);
  });
}

/** The resource as it is now, which must be as the caller expects it. */
async function present(
  tx: Transaction,
  { provider, ifMatch }: Writing,
  kind: ScimKind,
  id: string,
): Promise<ScimRow> {
  const row = await tableOf(kind).find(tx, provider, id);
  if (row === undefined) throw noResource(kind.name, id);
  if (ifMatch === undefined || matchesVersion(ifMatch, row)) return row;
  throw new ScimError(412, `${kind.name} has changed since: get it again`);
}

/** Whether a list of ETags, as If-Match and If-None-Match have them, holds a resource's version. */
export function matchesVersion(etags: string, row: ScimRow): boolean {
  const bare = (etag: string) => etag.trim().replace(/^W\//, "");
  const wanted = bare(versionOf(row));
  return etags.split(",").some((etag) => etag.trim() === "*" || bare(etag) === wanted);
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

/** No two users have the same name, and no two of a kind the same external id. */
async function refuseTaken(tx: Transaction, kind: ScimKind, row: ScimRow): Promise<void> {
  const taken = async (key: ScimKey, value: string) => {
    if (value === "") return false;
    const rows = await tableOf(kind).where(tx, row.provider, key, value);
    return rows.some((other) => other.resource !== row.resource);
  };
  const refuse = (attribute: string) =>
    new ScimError(409, `another ${kind.name} has this ${attribute}`, { scimType: "uniqueness" });
  if (kind.name === "User" && (await taken("name", row.name))) throw refuse("userName");
  if (await taken("external_id", row.external_id)) throw refuse("externalId");
}

async function record(
  tx: Transaction,
  writing: Writing,
  verb: "Create" | "Update" | "Delete",
  kind: ScimKind,
  id: string,
  { active }: Json,
): Promise<void> {
  const { provider, time, requestId, remoteAddress, userAgent } = writing;
  const detail = { [kind.name.toLowerCase()]: id, ...(active !== undefined && { active }) };
  await writeAudit(tx, {
    time,
    actor: provider,
    method: `scim.v2/${verb}${kind.name}`,
    resource: provider,
    requestId,
    remoteAddress,
    userAgent: userAgent.slice(0, MAX_USER_AGENT_LENGTH),
    code: 0,
    detail: JSON.stringify(detail),
  });
}
