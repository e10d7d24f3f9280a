/** Compares the capabilities of callers before and after a change, to find gained ones. */
import assert from "node:assert/strict";
import { ApiClient } from "../client/api-client.ts";
import { Http } from "../client/http.ts";
import { type AccessModel, heldAt, type Item, KINDS, type Kind, placeOf } from "./access-model.ts";
import { fetchAll } from "./pages.ts";

/**
 * Reads everything below these organizations, and the roles that all have, as the operator sees it. The content of an
 * earlier snapshot comes first and in the same order, although uids are random: so "the third group" is the same one
 * each time a test runs.
 *
 * @example const world = await snapshot(server.url, token, [root], before);
 */
export async function snapshot(
  url: string,
  token: string,
  roots: readonly string[],
  before: AccessModel,
): Promise<AccessModel> {
  const api = new ApiClient({ url, token });
  const lists = KINDS.map(async (kind) => {
    const filters = roots.map((root) => ({ descendants_of: root }));
    const own = filters.map((filter) => {
      return fetchAll(api, { kind, filter, key: "uid", descending: false }, 200);
    });
    return [kind, (await Promise.all(own)).flat()] as const;
  });
  const world = Object.fromEntries(await Promise.all(lists)) as Record<Kind, Item[]>;
  const rest = new Http(url, token);
  const tops = await rest.get(
    `/iam/v2beta1/groups?${roots.map((uid) => `uidp.ids=${uid}`).join("&")}`,
  );
  const shared = await rest.get("/iam/v2beta1/roles?uidp.in_root=true&page_size=200");
  world.groups.push(...tops.body.groups);
  world.roles.push(...shared.body.roles);
  for (const kind of KINDS) {
    const places = new Map(before[kind].map(({ uid }, at) => [uid, at]));
    const place = ({ uid }: Item) => places.get(uid) ?? before[kind].length;
    world[kind].sort((a, b) => place(a) - place(b));
  }
  return world as unknown as AccessModel;
}

/** A gained capability: a capability at a group that was there before. */
interface Gain {
  readonly identity: string;
  readonly group: string;
  readonly capabilities: readonly string[];
}

/** The capabilities that identities gained by a step, at groups that exist before and after it. */
function gains(before: AccessModel, after: AccessModel): Gain[] {
  const groups = after.groups.filter(({ uid }) => before.groups.some((old) => old.uid === uid));
  return after.identities.flatMap(({ uid: identity }) =>
    groups.flatMap(({ uid: group }) => {
      const had = heldAt(before, identity, group);
      const capabilities = [...heldAt(after, identity, group)].filter((one) => !had.has(one));
      return capabilities.length > 0 ? [{ identity, group, capabilities }] : [];
    }),
  );
}

/** Identities that answer to someone else than before. */
function takenOver(before: AccessModel, after: AccessModel): string[] {
  const relationship = (world: AccessModel, uid: string) => {
    const identity = world.identities.find((one) => one.uid === uid) as object | undefined;
    return JSON.stringify(identity && (identity as Record<string, unknown>).claimMatch);
  };
  return before.identities
    .map(({ uid }) => uid)
    .filter((uid) => after.identities.some((one) => one.uid === uid))
    .filter((uid) => relationship(before, uid) !== relationship(after, uid));
}

/**
 * The rule against escalation: the caller of a step must have held at the same scope, before the step,
 * everything that anyone gained by it; a caller that changes the claims of an identity must have held
 * everything that the identity holds.
 *
 * @example checkNoEscalation("a role is widened", actor, before, after);
 */
export function checkNoEscalation(
  step: string,
  actor: string,
  before: AccessModel,
  after: AccessModel,
): void {
  for (const { identity, group, capabilities } of gains(before, after)) {
    const held = heldAt(before, actor, group);
    const given = capabilities.filter((one) => !held.has(one));
    assert.deepEqual(given, [], `${step}: ${actor} gave ${identity} at ${group} what it had not`);
  }
  for (const identity of takenOver(before, after)) {
    for (const { uid: group } of before.groups) {
      const held = heldAt(before, actor, group);
      const more = [...heldAt(before, identity, group)].filter((one) => !held.has(one));
      assert.deepEqual(
        more,
        [],
        `${step}: ${actor} took over ${identity}, which holds more at ${group}`,
      );
    }
  }
  const orphaned = after.roleBindings.filter(
    ({ uid }) => !after.groups.some((group) => group.uid === placeOf(uid)),
  );
  assert.deepEqual(orphaned, [], `${step}: bindings at groups that are gone`);
}
