/**
 * A reference model of the service's answers, derived the slow and obvious way from plain data. Nothing of the server
 * is used here, not even its rules about uids: an error there must not hide itself here.
 */

/** The fields of a resource that lists depend on, as REST returns it. */
export interface Item {
  readonly uid: string;
  readonly name?: string;
  readonly createTime: string;
  readonly updateTime: string;
}

export interface RoleItem extends Item {
  readonly capabilities: readonly string[];
}

export interface BindingItem extends Item {
  readonly identityUid: string;
  readonly roleUid: string;
}

export interface AccessModel {
  readonly groups: readonly Item[];
  readonly identities: readonly Item[];
  readonly roles: readonly RoleItem[];
  readonly roleBindings: readonly BindingItem[];
  readonly accountAssociations: readonly Item[];
}

export type Kind = keyof AccessModel;

export const KINDS: readonly Kind[] = [
  "groups",
  "identities",
  "roles",
  "roleBindings",
  "accountAssociations",
];

/** The capability to see a resource of each kind. */
export const LIST_CAPABILITY: Readonly<Record<Kind, string>> = {
  groups: "CAP_IAM_GROUPS_LIST",
  identities: "CAP_IAM_IDENTITY_LIST",
  roles: "CAP_IAM_ROLES_LIST",
  roleBindings: "CAP_IAM_ROLE_BINDINGS_LIST",
  accountAssociations: "CAP_IAM_ACCOUNT_ASSOCIATIONS_LIST",
};

/** A list's filter, by the names of the contract. */
export interface ListFilter {
  readonly descendants_of?: string;
  readonly children_of?: string;
  readonly ancestors_of?: string;
  readonly in_root?: boolean;
  readonly ids?: readonly string[];
  readonly name?: string;
  readonly identity?: string;
  readonly role?: string;
  readonly group?: string;
}

export type SortKey = "uid" | "name" | "created_at" | "updated_at";

/** The operator; every other caller is named by the uid of an identity. */
export const OPERATOR = "operator";

export function placeOf(uid: string): string {
  const slash = uid.lastIndexOf("/");
  return slash < 0 ? "" : uid.slice(0, slash);
}

/** The group that one of a kind is in; an association goes by the uid of its group. */
export function parentOf(kind: Kind, uid: string): string {
  return kind === "accountAssociations" ? uid : placeOf(uid);
}

function isWithin(uid: string, place: string): boolean {
  return uid === place || uid.startsWith(`${place}/`);
}

/** The capabilities that an identity's bindings grant it at a scope, or above it. */
export function heldAt(world: AccessModel, identity: string, place: string): Set<string> {
  const held = new Set<string>();
  for (const binding of world.roleBindings) {
    if (binding.identityUid !== identity || !isWithin(place, placeOf(binding.uid))) continue;
    const role = world.roles.find((one) => one.uid === binding.roleUid);
    for (const capability of role?.capabilities ?? []) held.add(capability);
  }
  return held;
}

/** Whether a caller may see one resource: the rule of Get. */
export function maySee(world: AccessModel, caller: string, kind: Kind, uid: string): boolean {
  if (caller === OPERATOR) return true;
  if (kind === "roles" && !uid.includes("/")) return true;
  return heldAt(world, caller, uid).has(LIST_CAPABILITY[kind]);
}

function passes(kind: Kind, item: Item, filter: ListFilter): boolean {
  const parent = parentOf(kind, item.uid);
  const place = kind === "groups" ? item.uid : parent;
  const { descendants_of, children_of, ancestors_of, in_root, ids, name, identity, role, group } =
    filter;
  const binding = item as BindingItem;
  return (
    (!descendants_of || isWithin(parent, descendants_of)) &&
    (!children_of || parent === children_of) &&
    (!ancestors_of || (place !== "" && ancestors_of.startsWith(`${place}/`))) &&
    (!in_root || parent === "") &&
    (!ids || ids.length === 0 || ids.includes(item.uid)) &&
    (!name || item.name === name) &&
    (!identity || binding.identityUid === identity) &&
    (!role || binding.roleUid === role) &&
    (!group || placeOf(item.uid) === group)
  );
}

/** The expected items of a list, in no particular order. */
export function expected(
  world: AccessModel,
  caller: string,
  kind: Kind,
  filter: ListFilter,
): Item[] {
  return world[kind].filter(
    (item) => maySee(world, caller, kind, item.uid) && passes(kind, item, filter),
  );
}

/** The sort key of a resource, in a form that compares as the contract says. */
function sortValue(item: Item, key: SortKey): string {
  const values = {
    uid: item.uid,
    name: item.name ?? "",
    created_at: item.createTime,
    updated_at: item.updateTime,
  };
  return values[key];
}

/** Whether items stand in an order, equals in any. */
export function isOrdered(items: readonly Item[], key: SortKey, descending: boolean): boolean {
  return items.every((item, at) => {
    const before = items[at - 1];
    if (before === undefined) return true;
    const [a, b] = [sortValue(before, key), sortValue(item, key)];
    return descending ? a >= b : a <= b;
  });
}
