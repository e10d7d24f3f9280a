import type { Grants } from "../../auth/grants.ts";
import type { Catalog, ResourceStore } from "../../engine/catalog.ts";
import { fullQuota } from "../../engine/quotas.ts";
import type { Reader } from "../../store/db/connection.ts";
import { type PathOptions, type ResolvedPath, resolvePath } from "../path.ts";
import { type Denial, explainDenial } from "./denials.ts";
import { capabilitiesFor } from "./needed-capabilities.ts";
import { ACTIONS, type Action, type Scope } from "./scope.ts";
import type { ResourceActions } from "./token.ts";

/** The requester of a token. */
export interface Requester {
  readonly grants: Grants;
  /** The grants of everyone. They only count for pulls, whatever else is bound to "anyone". */
  readonly publicGrants: Grants;
  readonly isOperator: boolean;
}

/** The source of path lookups: the store, or a transaction. */
export interface PathLookup extends PathOptions {
  readonly catalog: Catalog;
  readonly reader: Reader;
}

/** The access that a token grants and denies, and the repo or group of its first scope, for the audit log. */
export interface RegistryAccess {
  readonly access: readonly ResourceActions[];
  readonly denials: readonly Denial[];
  readonly resource: string;
}

/** Grants the requested scopes, action by action, where the requester holds the capabilities. */
export async function grantScopes(
  { catalog, store: { reader } }: ResourceStore,
  requester: Requester,
  scopes: readonly Scope[],
  options: PathOptions,
): Promise<RegistryAccess> {
  const lookup = { catalog, reader, ...options };
  const access: ResourceActions[] = [];
  const denials: Denial[] = [];
  let resource = "";
  for (const scope of scopes) {
    if (scope.type === "catalog") {
      // The catalog lists the repositories of all organizations.
      if (requester.isOperator) access.push({ type: "registry", name: "catalog", actions: ["*"] });
      continue;
    }
    const path = await pathFor(lookup, requester, scope.name);
    const actions = path === undefined ? [] : await grantedActions(lookup, requester, scope, path);
    if (path !== undefined) resource ||= path.repo ?? path.group;
    if (actions.length > 0) access.push({ type: "repository", name: scope.name, actions });
    const denied = ACTIONS.filter((one) => scope.actions.has(one) && !actions.includes(one));
    if (denied.length > 0)
      denials.push(await explainDenial(lookup, requester, scope, path, denied));
  }
  return { access, denials, resource };
}

/** The path of a repository, and why the requester may not do this there; undefined if they may. */
export async function grantPath(
  lookup: PathLookup,
  requester: Requester,
  name: string,
  action: Action,
): Promise<{ readonly path: ResolvedPath | undefined; readonly denial: string | undefined }> {
  const actions: ReadonlySet<Action> = new Set([action]);
  const scope = { type: "repository", name, actions, named: actions } as const;
  const path = await pathFor(lookup, requester, name);
  if (path !== undefined && (await grantedActions(lookup, requester, scope, path)).length > 0)
    return { path, denial: undefined };
  const { message } = await explainDenial(lookup, requester, scope, path, [action]);
  return { path, denial: message };
}

/** Requesters without any capability cost no reads. */
async function pathFor(
  { catalog, reader, ...options }: PathLookup,
  { grants, publicGrants }: Requester,
  name: string,
): Promise<ResolvedPath | undefined> {
  if (holdsNothing(grants) && holdsNothing(publicGrants)) return undefined;
  return resolvePath(catalog, reader, name, options);
}

async function grantedActions(
  lookup: PathLookup,
  requester: Requester,
  scope: { readonly actions: ReadonlySet<Action> },
  path: ResolvedPath,
): Promise<Action[]> {
  const held = ACTIONS.filter(
    (action) => scope.actions.has(action) && holdsNeeded(requester, action, path),
  );
  if (!held.includes("push") || (await hasQuota(lookup, path))) return held;
  return held.filter((action) => action !== "push");
}

function holdsNeeded(
  { grants, publicGrants }: Requester,
  action: Action,
  path: ResolvedPath,
): boolean {
  const needed = capabilitiesFor(action, path);
  const scope = path.repo ?? path.group;
  return grants.holds(needed, scope) || (action === "pull" && publicGrants.holds(needed, scope));
}

/** Whether the repo exists, or the quota of its group allows another one. */
async function hasQuota(
  { catalog, reader }: PathLookup,
  { repo, group }: ResolvedPath,
): Promise<boolean> {
  if (repo !== undefined) return true;
  return (await fullQuota(catalog, reader, catalog.repos, group)) === undefined;
}

function holdsNothing(grants: Grants): boolean {
  const reach = grants.reach([]);
  return "scopes" in reach && reach.scopes.length === 0;
}
