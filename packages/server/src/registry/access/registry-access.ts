import type { Grants } from "../../auth/grants.ts";
import type { ResourceStore } from "../../engine/engine.ts";
import { hasQuotaLeft } from "../../engine/quotas.ts";
import { type ResolvedPath, resolvePath } from "../path.ts";
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

/** What a token grants and what not, and the repo or group of its first scope, for the audit log. */
export interface RegistryAccess {
  readonly access: readonly ResourceActions[];
  readonly denials: readonly Denial[];
  readonly resource: string;
}

/** Grants the requested scopes, action by action, where the requester holds the capabilities. */
export async function grantScopes(
  engine: ResourceStore,
  requester: Requester,
  scopes: readonly Scope[],
): Promise<RegistryAccess> {
  const access: ResourceActions[] = [];
  const denials: Denial[] = [];
  let resource = "";
  for (const scope of scopes) {
    if (scope.type === "catalog") {
      // The catalog lists the repositories of all organizations.
      if (requester.isOperator) access.push({ type: "registry", name: "catalog", actions: ["*"] });
      continue;
    }
    // Requesters without any capability cost no reads.
    const isStranger = holdsNothing(requester.grants) && holdsNothing(requester.publicGrants);
    const path = isStranger
      ? undefined
      : await resolvePath(engine.catalog, engine.store.reader, scope.name);
    const actions = path === undefined ? [] : await grantedActions(engine, requester, scope, path);
    if (path !== undefined) resource ||= path.repo ?? path.group;
    if (actions.length > 0) access.push({ type: "repository", name: scope.name, actions });
    const denied = ACTIONS.filter((one) => scope.actions.has(one) && !actions.includes(one));
    if (denied.length > 0)
      denials.push(await explainDenial(engine, requester, scope, path, denied));
  }
  return { access, denials, resource };
}

async function grantedActions(
  engine: ResourceStore,
  requester: Requester,
  scope: { readonly actions: ReadonlySet<Action> },
  path: ResolvedPath,
): Promise<Action[]> {
  const held = ACTIONS.filter(
    (action) => scope.actions.has(action) && holdsNeeded(requester, action, path),
  );
  if (!held.includes("push") || (await hasQuota(engine, path))) return held;
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
async function hasQuota(engine: ResourceStore, { repo, group }: ResolvedPath): Promise<boolean> {
  if (repo !== undefined) return true;
  return hasQuotaLeft(engine.catalog, engine.store.reader, engine.catalog.repos, group);
}

function holdsNothing(grants: Grants): boolean {
  const reach = grants.reach([]);
  return "scopes" in reach && reach.scopes.length === 0;
}
