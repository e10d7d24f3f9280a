import { Capability } from "@wharf/contract";
import { PULL_CAPABILITIES } from "../../auth/public-access.ts";
import type { ResolvedPath } from "../path.ts";
import type { Action } from "./scope.ts";

/** The capabilities that an action on an existing repo needs. */
const NEEDED: Readonly<Record<Action, readonly Capability[]>> = {
  pull: PULL_CAPABILITIES,
  push: [
    Capability.CAP_MANIFEST_CREATE,
    Capability.CAP_MANIFEST_UPDATE,
    Capability.CAP_TAG_CREATE,
    Capability.CAP_TAG_UPDATE,
  ],
  delete: [Capability.CAP_MANIFEST_DELETE, Capability.CAP_TAG_DELETE],
};

/** The capabilities that an action needs, also to create what is missing. */
export function capabilitiesFor(action: Action, { repo, missing }: ResolvedPath): Capability[] {
  const needed = [...NEEDED[action]];
  if (action === "push" && repo === undefined) needed.push(Capability.CAP_REPO_CREATE);
  if (action === "push" && missing.length > 0) needed.push(Capability.CAP_IAM_GROUPS_CREATE);
  return needed;
}
