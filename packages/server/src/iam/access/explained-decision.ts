import { ancestorsOf, type Capability } from "@wharf/contract";
import { OPERATOR_UID } from "../../auth/caller.ts";
import { type Origin, Origins } from "../../auth/origins.ts";
import type { Catalog, ResourceAccess } from "../../engine/catalog.ts";
import type { Call } from "../../rpc/call.ts";
import type { Reader } from "../../store/db/connection.ts";
import { bindingsAt } from "../../store/tables/access/identity-bindings.ts";
import { readConsistently } from "./consistent-read.ts";
import { ownGrants, possibleAccess, type Question } from "./decisions.ts";
import { rolesWith } from "./roles-with.ts";

/** The decision of the server about an identity at a resource, and its grounds. */
export interface Decision {
  readonly allowed: boolean;
  /** The grants of roles with the capability. */
  readonly origins: readonly Origin[];
}

/** A decision, as `Decisions` has it, and what it is from. */
export function explainedDecision(
  deps: ResourceAccess,
  reader: Reader,
  call: Call,
  question: Question,
): Promise<Decision> {
  const read = question.identity === call.caller.uid ? decideOwn : decideOther;
  return readConsistently(deps.store, () => read(deps, reader, call, question));
}

/** About the caller: with the token of the call. */
async function decideOwn(
  deps: Pick<ResourceAccess, "access" | "catalog">,
  reader: Reader,
  { caller }: Call,
  { resource, capability }: Question,
): Promise<Decision> {
  const { access, catalog } = deps;
  const { uid, session = "", boundary } = caller;
  const allowed = (await ownGrants(deps.access, reader, caller)).holds([capability], resource);
  const identity = await catalog.identities.find(reader, uid);
  if (uid === OPERATOR_UID || identity === undefined) return { allowed, origins: [] };
  const login = session === "" ? undefined : await access.session(session, reader);
  const origins = new Origins(access, reader, identity);
  const found = [
    ...(await origins.bindings(await bindingsAt(reader, uid, scopesOf(resource)), login)),
    ...(login === undefined ? [] : await origins.mappings(login, resource)),
  ];
  const granting = await withCapability(deps.catalog, reader, found, capability);
  if (boundary === undefined || boundary.holds([capability], resource)) {
    return { allowed, origins: granting };
  }
  const outside = granting.map(
    (one): Origin => ({ ...one, obstacle: one.obstacle ?? "token scope" }),
  );
  return { allowed, origins: outside };
}

/** About another identity: with any token that it can have, without a scope of its own. */
async function decideOther(
  deps: Pick<ResourceAccess, "access" | "catalog">,
  reader: Reader,
  { time }: Call,
  { identity: uid, resource, capability }: Question,
): Promise<Decision> {
  const { identity, sessions, grants } = await possibleAccess(deps, reader, uid, time);
  const origins = new Origins(deps.access, reader, identity);
  const bound = await bindingsAt(reader, uid, scopesOf(resource));
  const found = await origins.bindings(bound, undefined);
  for (const session of sessions) found.push(...(await origins.mappings(session, resource)));
  const allowed = grants.some((one) => one.holds([capability], resource));
  const distinct = [...new Map(found.map((one) => [one.mapping?.uid ?? one.id, one])).values()];
  return { allowed, origins: await withCapability(deps.catalog, reader, distinct, capability) };
}

/** The origins whose role has a capability. */
async function withCapability(
  catalog: Catalog,
  reader: Reader,
  origins: readonly Origin[],
  capability: Capability,
): Promise<Origin[]> {
  const uids = origins.map(({ role }) => role);
  const having = await rolesWith(catalog, reader, uids, capability);
  return origins.filter(({ role }) => having.has(role));
}

/** The scopes at which a grant applies to a resource. */
function scopesOf(resource: string): string[] {
  return [resource, ...ancestorsOf(resource)];
}
