import type { Reader } from "../db/connection.ts";
import type { Transaction } from "../db/group-commit.ts";

/** Who is in which group of an identity provider. Apart from the groups, which may be large. */

/** A member of a group, or a group of a member, with the attributes of the one that is named. */
export interface Membership {
  readonly group_id: string;
  readonly user_id: string;
  /** The attributes of the user, or of the group, as JSON. */
  readonly data: string;
}

/** Ids are looked up this many at a time: databases limit the parameters of a statement. */
const AT_ONCE = 512;

/** @example const members = await membersOf(reader, provider, [group]); */
export function membersOf(
  reader: Reader,
  provider: string,
  groups: readonly string[],
): Promise<Membership[]> {
  return inParts(groups, (some, marks) =>
    reader.all<Membership>(
      `SELECT m.group_id, m.user_id, u.data FROM scim_members m
       JOIN scim_users u ON u.provider = m.provider AND u.resource = m.user_id
       WHERE m.provider = ? AND m.group_id IN (${marks}) ORDER BY u.id`,
      provider,
      ...some,
    ),
  );
}

/** @example const groups = await groupsOf(reader, provider, [user]); */
export function groupsOf(
  reader: Reader,
  provider: string,
  users: readonly string[],
): Promise<Membership[]> {
  return inParts(users, (some, marks) =>
    reader.all<Membership>(
      `SELECT m.group_id, m.user_id, g.data FROM scim_members m
       JOIN scim_groups g ON g.provider = m.provider AND g.resource = m.group_id
       WHERE m.provider = ? AND m.user_id IN (${marks}) ORDER BY g.id`,
      provider,
      ...some,
    ),
  );
}

/** Those of the given ids that no user has. */
export async function unknownUsers(
  reader: Reader,
  provider: string,
  users: readonly string[],
): Promise<string[]> {
  const known = await inParts(users, (some, marks) =>
    reader.all<{ resource: string }>(
      `SELECT resource FROM scim_users WHERE provider = ? AND resource IN (${marks})`,
      provider,
      ...some,
    ),
  );
  const ids = new Set(known.map(({ resource }) => resource));
  return users.filter((id) => !ids.has(id));
}

/** Adds users to a group, as far as they exist; returns how many were not there before. */
export async function addMembers(
  tx: Transaction,
  provider: string,
  group: string,
  users: readonly string[],
): Promise<number> {
  const added = await inParts(users, async (some, marks) => [
    await tx.run(
      `INSERT INTO scim_members (provider, group_id, user_id)
       SELECT provider, ?, resource FROM scim_users WHERE provider = ? AND resource IN (${marks})
       ON CONFLICT (provider, group_id, user_id) DO NOTHING`,
      group,
      provider,
      ...some,
    ),
  ]);
  return sum(added);
}

/** Takes members out; returns how many were there. */
export async function removeMembers(
  tx: Transaction,
  provider: string,
  group: string,
  users: readonly string[],
): Promise<number> {
  const removed = await inParts(users, async (some, marks) => [
    await tx.run(
      `DELETE FROM scim_members WHERE provider = ? AND group_id = ? AND user_id IN (${marks})`,
      provider,
      group,
      ...some,
    ),
  ]);
  return sum(removed);
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, one) => total + one, 0);
}

/** Takes everyone out of a group; returns how many there were. */
export function removeAllMembers(tx: Transaction, provider: string, group: string) {
  const sql = "DELETE FROM scim_members WHERE provider = ? AND group_id = ?";
  return tx.run(sql, provider, group);
}

/** Takes a user out of all groups, which are changed by that. */
export async function removeFromGroups(
  tx: Transaction,
  provider: string,
  user: string,
  now: number,
): Promise<void> {
  await tx.run(
    `UPDATE scim_groups SET version = version + 1, updated = ? WHERE provider = ? AND resource IN
       (SELECT group_id FROM scim_members WHERE provider = ? AND user_id = ?)`,
    now,
    provider,
    provider,
    user,
  );
  const sql = "DELETE FROM scim_members WHERE provider = ? AND user_id = ?";
  await tx.run(sql, provider, user);
}

/** Forgets all memberships, when their provider is deleted. */
export async function forgetMembers(tx: Transaction, provider: string): Promise<void> {
  await tx.run("DELETE FROM scim_members WHERE provider = ?", provider);
}

/** Some hundred at a time, filled up to few sizes: every size is a statement of its own. */
async function inParts<T>(
  ids: readonly string[],
  work: (some: readonly string[], marks: string) => Promise<T[]>,
): Promise<T[]> {
  const done: T[] = [];
  for (let at = 0; at < ids.length; at += AT_ONCE) {
    const some = ids.slice(at, at + AT_ONCE);
    const size = 2 ** Math.ceil(Math.log2(some.length));
    while (some.length < size) some.push(some[0] as string);
    done.push(...(await work(some, some.map(() => "?").join(", "))));
  }
  return done;
}
