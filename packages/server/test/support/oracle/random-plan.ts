/** Random plans of groups, roles, identities and bindings, and their execution. */
import assert from "node:assert/strict";
import { BUILTIN_ROLES } from "@wharf/contract";
import fc from "fast-check";
import type { Http } from "../client/http.ts";
import {
  type AccessModel,
  type BindingItem,
  type Item,
  placeOf,
  type RoleItem,
} from "./access-model.ts";

/** Few enough to repeat; made of characters that databases sort differently. */
export const NAMES = ["a", "b", "aa", "a b", "a-b", "a.b", "a_b", "0", "z9"];

/** Groups are nested no deeper than this, the root included. */
const DEEPEST = 5;

/** A plan of a world: everything refers to everything by number, whatever there is by then. */
export interface Plan {
  readonly groups: readonly { parent: number; name: string }[];
  readonly roles: readonly { at: number; name: string; capabilities: readonly string[] }[];
  readonly identities: readonly { at: number; name: string }[];
  readonly bindings: readonly { at: number; identity: number; role: number }[];
  /** At most one for each group. */
  readonly associations: readonly { at: number; name: string }[];
  /** Groups that are changed after they were made. */
  readonly touched: readonly number[];
}

/** Plans of worlds, with roles made of these capabilities. */
export function plans(capabilities: readonly string[]): fc.Arbitrary<Plan> {
  const at = fc.nat(999);
  const name = fc.constantFrom(...NAMES);
  const some = fc.subarray([...capabilities], { minLength: 1 });
  const list = <T>(one: fc.Arbitrary<T>, minLength: number, maxLength: number) =>
    fc.array(one, { minLength, maxLength, size: "max" });
  return fc.noBias(
    fc.record({
      groups: list(fc.record({ parent: at, name }), 12, 30),
      roles: list(fc.record({ at, name, capabilities: some }), 4, 8),
      identities: list(fc.record({ at, name }), 5, 10),
      bindings: list(fc.record({ at, identity: at, role: at }), 6, 16),
      associations: list(fc.record({ at, name }), 4, 16),
      touched: list(at, 0, 5),
    }),
  );
}

/**
 * Carries a plan out below a new organization, as fast as the service lets its operator.
 *
 * @example const { world, root } = await build(operator, plan);
 */
export async function build(
  operator: Http,
  plan: Plan,
): Promise<{ world: AccessModel; root: string }> {
  const root = (await made(operator, "groups", { name: "root" })) as Item;
  const groups = await buildGroups(operator, root, plan);
  const place = (at: number) => pick(groups, at).uid;
  const roles = await all(plan.roles, ({ at, name, capabilities }) => {
    return made<RoleItem>(operator, `roles/${place(at)}`, { name, capabilities });
  });
  const identities = await all(plan.identities, ({ at, name }, number) => {
    const claimMatch = { issuer: "https://issuer.example.com", subject: `${root.uid}-${number}` };
    return made(operator, `identities/${place(at)}`, { name, claimMatch });
  });
  const builtin = await builtinRoles(operator);
  const roleBindings = await all(plan.bindings, ({ at, identity, role }) => {
    // Half of them near the top, so that some callers see much.
    const group = pick(at % 2 === 0 ? groups.slice(0, 6) : groups, at >> 1).uid;
    const own = roles.filter((one) => `${group}/`.startsWith(`${placeOf(one.uid)}/`));
    const usable = own.length > 0 && role % 4 !== 0 ? own : builtin;
    const body = { identityUid: pick(identities, identity).uid, roleUid: pick(usable, role).uid };
    return made<BindingItem>(operator, `roleBindings/${group}`, body);
  });
  const associated = new Map(plan.associations.map(({ at, name }) => [place(at), name]));
  const accountAssociations = await all([...associated], ([group, name]) => {
    return made(operator, `accountAssociations/${group}`, { name });
  });
  const world = {
    groups,
    identities,
    roles: [...roles, ...builtin],
    roleBindings,
    accountAssociations,
  };
  return { world, root: root.uid };
}

async function buildGroups(operator: Http, root: Item, { groups, touched }: Plan): Promise<Item[]> {
  const depths = [1];
  const parents = groups.map(({ parent }) => {
    const chosen = parent % depths.length;
    const above = (depths[chosen] as number) < DEEPEST ? chosen : 0;
    depths.push((depths[above] as number) + 1);
    return above;
  });
  const items: Item[] = [root];
  for (let depth = 2; depth <= DEEPEST; depth++) {
    const level = groups.map((_, at) => at).filter((at) => depths[at + 1] === depth);
    await all(level, async (at) => {
      const parent = items[parents[at] as number] as Item;
      items[at + 1] = await made(operator, `groups/${parent.uid}`, { name: groups[at]?.name });
    });
  }
  for (const [turn, number] of touched.entries()) {
    const at = number % items.length;
    const path = `/iam/v2beta1/groups/${items[at]?.uid}`;
    const { body } = await operator.patch(path, { name: NAMES[turn % NAMES.length] });
    items[at] = body;
  }
  return items;
}

/** The roles that every installation has; those with few capabilities come first. */
async function builtinRoles(operator: Http): Promise<RoleItem[]> {
  const { body } = await operator.get("/iam/v2beta1/roles?uidp.in_root=true&page_size=200");
  assert.equal(body.roles.length, BUILTIN_ROLES.length);
  return body.roles;
}

async function made<T extends Item = Item>(operator: Http, path: string, body: object): Promise<T> {
  const answer = await operator.post(`/iam/v2beta1/${path}`, body);
  assert.equal(answer.status, 200, JSON.stringify(answer.body));
  return answer.body;
}

/** One of several, whatever the number. */
export function pick<T>(items: readonly T[], number: number): T {
  return items[number % items.length] as T;
}

/** Number of concurrent requests: enough to meet, few enough not to wait in line. */
const CONCURRENCY = 16;

/**
 * Does the same for each, several at a time, and returns what came out in their order.
 *
 * @example await all(names, (name) => rest.post("/iam/v2beta1/groups", { name }));
 */
export async function all<T, R>(
  items: readonly T[],
  work: (item: T, at: number) => Promise<R>,
): Promise<R[]> {
  const results: R[] = [];
  let next = 0;
  const worker = async () => {
    for (let at = next++; at < items.length; at = next++) {
      results[at] = await work(items[at] as T, at);
    }
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, worker));
  return results;
}
