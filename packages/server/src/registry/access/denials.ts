import { capabilityName, depthOf, rootOf } from "@wharf/contract";
import { WharfError } from "../../lib/errors.ts";
import type { ResolvedPath } from "../path.ts";
import { capabilitiesFor } from "./needed-capabilities.ts";
import type { PathLookup, Requester } from "./registry-access.ts";
import type { Action, Scope } from "./scope.ts";

type RepositoryScope = Extract<Scope, { readonly type: "repository" }>;

/** Actions of a requested scope that are not granted. */
export interface Denial {
  readonly scope: RepositoryScope;
  readonly actions: readonly Action[];
  /** Why, in words that reveal nothing that the requester may not see. */
  readonly message: string;
}

/** The role that an owner grants for an action. */
const ROLES: Readonly<Record<Action, string>> = {
  pull: "registry.pull",
  push: "registry.push",
  delete: "registry.push",
};

/** Says why actions on a repository are denied. The path is undefined if it resolves to nothing. */
export async function explainDenial(
  lookup: PathLookup,
  requester: Requester,
  scope: RepositoryScope,
  path: ResolvedPath | undefined,
  actions: readonly Action[],
): Promise<Denial> {
  const { name } = scope;
  const message =
    path !== undefined && maySee(requester, path)
      ? explainMissing(requester, name, path, actions)
      : ((await explainUnverified(lookup, requester, name)) ?? explainUnseen(name, actions));
  return { scope, actions, message: `${actions.join(", ")} of ${name} is denied: ${message}` };
}

/** Whether the requester holds anything where the capabilities are checked, so that it knows the place. */
function maySee({ grants, publicGrants }: Requester, { repo, group }: ResolvedPath): boolean {
  const at = repo ?? group;
  return !grants.heldAt(at).isEmpty || !publicGrants.heldAt(at).isEmpty;
}

function explainMissing(
  { grants }: Requester,
  name: string,
  path: ResolvedPath,
  actions: readonly Action[],
): string {
  const { repo, group, missing } = path;
  const needed = actions.flatMap((action) => capabilitiesFor(action, path));
  const lacking = [...new Set(needed)].filter((one) => !grants.holds([one], repo ?? group));
  const groupPath = name.split("/", depthOf(group) + 1).join("/");
  if (lacking.length === 0) {
    return `the quota of repositories at ${groupPath} is used up; the operator can raise it`;
  }
  const capabilities = lacking.map(capabilityName).join(", ");
  const at = repo === undefined ? groupPath : name;
  const because = missing.length > 0 ? ` (to create ${missing.join("/")})` : "";
  const roles = [...new Set(actions.map((action) => ROLES[action]))].at(-1);
  return `needs ${capabilities} at ${at}${because}; an owner of ${groupPath} can grant the role ${roles}`;
}

/** Organizations of the requester that are looked up for a hint. */
const MAX_ORGANIZATIONS = 100;

/** Names an organization of the requester that has the name in the path, which is not verified. */
async function explainUnverified(
  { reader, catalog: { groups } }: PathLookup,
  { grants }: Requester,
  name: string,
): Promise<string | undefined> {
  const [first = ""] = name.split("/");
  const roots = [...new Set(grants.scopes.map(rootOf))].slice(0, MAX_ORGANIZATIONS);
  const own = await groups.findMany(reader, roots);
  const named = [...own.values()].find((group) => group.name === first && !group.verified);
  if (named === undefined) return undefined;
  return `the name of the organization ${first} is not verified; use its uid ${named.uid} in its place, or ask the operator to verify the name`;
}

/** The same for what does not exist and for what the requester must not know of. */
function explainUnseen(name: string, actions: readonly Action[]): string {
  const existing: ResolvedPath = { group: "", repo: "", missing: [] };
  const needed = [...new Set(actions.flatMap((action) => capabilitiesFor(action, existing)))];
  const capabilities = needed.map(capabilityName).join(", ");
  const [organization = ""] = name.split("/");
  return `it does not exist, or you hold none of ${capabilities} there; ${organization} must be the uid of an organization, or a name that the operator has verified`;
}

/**
 * The error for denied access, if clients should see one: nothing is granted of what was requested, or not
 * the push or deletion that was named. Otherwise, by the protocol, a token may grant less.
 */
export function deniedError(
  denials: readonly Denial[],
  isAnythingGranted: boolean,
): WharfError | undefined {
  const decisive = isAnythingGranted
    ? denials.filter(({ scope, actions }) =>
        actions.some((action) => action !== "pull" && scope.named.has(action)),
      )
    : denials;
  if (decisive.length === 0) return undefined;
  return new WharfError("PERMISSION_DENIED", textOf(decisive));
}

/** Denials that one text names; a request may name 50 repositories. */
const MAX_DENIALS = 3;

/** Denials as one text. */
export function textOf(denials: readonly Denial[]): string {
  const named = denials.slice(0, MAX_DENIALS).map(({ message }) => message);
  const more = denials.length - named.length;
  return [...named, ...(more > 0 ? [`and ${more} more`] : [])].join("; ");
}
