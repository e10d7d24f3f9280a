import { Capability } from "@wharf/contract";
import type { Grants } from "../../auth/grants.ts";
import type { Engine } from "../../engine/engine.ts";
import { hasQuotaLeft } from "../../engine/quotas.ts";
import { type ResolvedPath, resolvePath } from "../path.ts";
import { ACTIONS, type Action, type Scope } from "./scope.ts";
import type { ResourceActions } from "./token.ts";

/** The requester of a token. */
export interface Requester {
  readonly grants: Grants;
  /** The grants of everyone. They only count for pulls, whatever else is bound to "anyone". */
  readonly publicGrants: Grants;
  readonly isOperator: boolean;
}

/** What a token grants, and the repo or group of its first scope, for the audit log. */
export interface RegistryAccess {
  readonly access: readonly ResourceActions[];
  readonly resource: string;
}

/** The capabilities that an action on an existing repo needs. */
const NEEDED: Readonly<Record<Action, readonly Capability[]>> = {
  pull: [Capability.CAP_REPO_LIST, Capability.CAP_MANIFEST_LIST, Capability.CAP_REPO_BLOBS_GET],
  push: [
    Capability.CAP_MANIFEST_CREATE,
    Capability.CAP_MANIFEST_UPDATE,
    Capability.CAP_TAG_CREATE,
    Capability.CAP_TAG_UPDATE,
  ],
  delete: [Capability.CAP_MANIFEST_DELETE, Capability.CAP_TAG_DELETE],
};

/** Grants the requested scopes, action by action, where the requester holds the capabilities. */
export async function grantScopes(
  engine: Engine,
  requester: Requester,
  scopes: readonly Scope[],
): Promise<RegistryAccess> {
  const access: ResourceActions[] = [];
  let resource = "";
  for (const scope of scopes) {
    if (scope.type === "catalog") {
      // The catalog lists the repositories of all organizations.
      if (requester.isOperator) access.push({ type: "registry", name: "catalog", actions: ["*"] });
      continue;
    }
    // Requesters without any capability cost no reads.
    if (holdsNothing(requester.grants) && holdsNothing(requester.publicGrants)) continue;
    const path = await resolvePath(engine, engine.store.reader, scope.name);
    if (path === undefined) continue;
    resource ||= path.repo ?? path.group;
    let actions = ACTIONS.filter(
      (action) => scope.actions.has(action) && holdsNeeded(requester, action, path),
    );
    if (actions.includes("push") && !(await hasQuota(engine, path))) {
      actions = actions.filter((action) => action !== "push");
    }
    if (actions.length > 0) access.push({ type: "repository", name: scope.name, actions });
  }
  return { access, resource };
}

function holdsNeeded(
  { grants, publicGrants }: Requester,
  action: Action,
  { group, repo, missing }: ResolvedPath,
): boolean {
  const needed = [...NEEDED[action]];
  if (action === "push" && repo === undefined) needed.push(Capability.CAP_REPO_CREATE);
  if (action === "push" && missing.length > 0) needed.push(Capability.CAP_IAM_GROUPS_CREATE);
  const scope = repo ?? group;
  return grants.holds(needed, scope) || (action === "pull" && publicGrants.holds(needed, scope));
}

/** Whether the repo exists, or the quota of its group allows another one. */
async function hasQuota(engine: Engine, { repo, group }: ResolvedPath): Promise<boolean> {
  if (repo !== undefined) return true;
  return hasQuotaLeft(engine, engine.store.reader, engine.catalog.repos, group);
}

function holdsNothing(grants: Grants): boolean {
  const reach = grants.reach([]);
  return "scopes" in reach && reach.scopes.length === 0;
}
