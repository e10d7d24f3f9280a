/** Cache invalidation: the query keys that an event affects, by their first part. */

const AUTH = "/auth/v1/ok";
const ACCESS = "/iam/v2beta1/access";
const BINDINGS = "/iam/v2beta1/roleBindings";
const REPOS = "/registry/v2beta1/repos";
const TAGS = "/registry/v2beta1/tags";

const DECISIONS = "/exposure/v2beta1/decisions";

/** Services whose responses follow from packages, advisories and decisions. */
const EXPOSURE = ["findings", "vulnerabilities", "fixes", "overview", "search", "repos"].map(
  (name) => `/exposure/v2beta1/${name}`,
);

/** Services whose responses show, or depend on, resources of another one. */
const SHOWN_BY: Readonly<Record<string, readonly string[]>> = {
  "/iam/v2beta1/groups": [BINDINGS, ACCESS, AUTH],
  "/iam/v2beta1/identities": [BINDINGS, ACCESS, AUTH],
  "/iam/v2beta1/roles": [BINDINGS, ACCESS, AUTH],
  "/iam/v2beta1/externalGroupRoleMappings": [ACCESS, AUTH],
  "/iam/v2beta1/groupInvites": [BINDINGS],
  "/auth/v1/register": [BINDINGS, ACCESS, AUTH, "/iam/v2beta1/identities"],
  "/auth/v1/delete": [BINDINGS, ACCESS, AUTH, "/iam/v2beta1/identities"],
  "/auth/v1/sessions": [AUTH],
  [BINDINGS]: [ACCESS, AUTH],
  [REPOS]: [TAGS],
  [TAGS]: [REPOS, "/registry/v2beta1/deletedTags"],
  [DECISIONS]: EXPOSURE,
  "/events/v2beta1/subscriptions": ["/events/v2beta1/deliveries"],
};

/**
 * The services that an event of a collection concerns; empty stands for pushes and pulls, and for images that became
 * affected or were cleared.
 */
export function affectedBy(collection: string): readonly string[] {
  if (collection === "") return [REPOS, TAGS, ...EXPOSURE];
  return [collection, ...(SHOWN_BY[collection] ?? [])];
}
