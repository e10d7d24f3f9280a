import { Capability } from "@wharf/contract";
import type { Grants } from "../../auth/grants.ts";
import type { Engine } from "../../engine/engine.ts";
import { hasQuotaLeft } from "../../engine/quotas.ts";
import { type Place, placeOf } from "../path.ts";
import { ACTIONS, type Action, type Scope } from "./scope.ts";
import type { Access } from "./token.ts";

/** Who asks for a token, as far as what they may do goes. */
export interface Asker {
  readonly grants: Grants;
  readonly isOperator: boolean;
  /** The actions that they are given at most, whatever they hold. */
  readonly most: readonly Action[];
}

/** What is given, and the first place that it is about. */
export interface Granted {
  readonly access: readonly Access[];
  readonly place: string;
}

/** What each action takes on a repo that exists. */
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

/**
 * Gives what was asked for, as far as it is held: each action of each repository by itself.
 *
 * @example const { access } = await grant(engine, asker, readScopes(texts));
 */
export async function grant(
  engine: Engine,
  asker: Asker,
  scopes: readonly Scope[],
): Promise<Granted> {
  const access: Access[] = [];
  let about = "";
  for (const scope of scopes) {
    if (scope.type === "catalog") {
      // The catalogue names every repository of every organisation.
      if (asker.isOperator) access.push({ type: "registry", name: "catalog", actions: ["*"] });
      continue;
    }
    // Whoever holds nothing makes us look for nothing.
    if (holdsNothing(asker.grants)) continue;
    const place = await placeOf(engine, engine.store.reader, scope.name);
    if (place === undefined) continue;
    about ||= place.repo ?? place.group;
    let actions = ACTIONS.filter(
      (action) =>
        scope.actions.has(action) && asker.most.includes(action) && may(asker, action, place),
    );
    if (actions.includes("push") && !(await mayPlace(engine, place)))
      actions = actions.filter((action) => action !== "push");
    if (actions.length > 0) access.push({ type: "repository", name: scope.name, actions });
  }
  return { access, place: about };
}

function may({ grants }: Asker, action: Action, { group, repo, missing }: Place): boolean {
  const needed = [...NEEDED[action]];
  if (action === "push" && repo === undefined) needed.push(Capability.CAP_REPO_CREATE);
  if (action === "push" && missing.length > 0) needed.push(Capability.CAP_IAM_GROUPS_CREATE);
  return grants.holds(needed, repo ?? group);
}

/** Whether there is a repo to push to, or room for one. */
async function mayPlace(engine: Engine, { repo, group }: Place): Promise<boolean> {
  return (
    repo !== undefined || hasQuotaLeft(engine, engine.store.reader, engine.catalog.repos, group)
  );
}

function holdsNothing(grants: Grants): boolean {
  const reach = grants.reach([]);
  return "scopes" in reach && reach.scopes.length === 0;
}
