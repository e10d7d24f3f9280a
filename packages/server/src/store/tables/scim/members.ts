import type { Transaction } from "../../db/commit/transaction.ts";
import type { Reader } from "../../db/connection.ts";

/** The members of the groups of an identity provider, apart from the groups: they can be many. */

/** A member of a group, or a group of a member. */
export interface Membership {
  readonly group_id: string;
  readonly user_id: string;
  /** The attributes of the user, or of the group, as JSON. */
  readonly data: string;
}

/** A member, with the position of its user in the order of users. */
export type NumberedMember = Membership & { readonly id: number };

/** Members that are read between two points where other requests may run. */
const MEMBERS_BATCH_SIZE = 200;

/** Ids in one statement: databases limit its parameters. */
const BATCH_SIZE = 512;

/** The members of these groups, in no order. A group may have very many. */
export async function* membersOf(
  reader: Reader,
  provider: string,
  groups: readonly string[],
): AsyncGenerator<readonly NumberedMember[]> {
  const select = `SELECT m.group_id, m.user_id, r.data, r.id FROM scim_members m
    JOIN scim_users r ON r.provider = m.provider AND r.resource = m.user_id`;
  const all = await inBatches(groups, (some, marks) =>
    reader.all<NumberedMember>(
      `${select} WHERE m.provider = ? AND m.group_id IN (${marks}) LIMIT ${MEMBERS_BATCH_SIZE}`,
      provider,
      ...some,
    ),
  );
  if (groups.length <= BATCH_SIZE && all.length < MEMBERS_BATCH_SIZE) {
    yield all;
    return;
  }
  for (const group of groups) {
    for (let after: string | undefined = ""; after !== undefined; ) {
      const some: NumberedMember[] = await reader.all<NumberedMember>(
        `${select} WHERE m.provider = ? AND m.group_id = ? AND m.user_id > ?
         ORDER BY m.user_id LIMIT ${MEMBERS_BATCH_SIZE}`,
        ...[provider, group, after],
      );
      yield some;
      after = some.length < MEMBERS_BATCH_SIZE ? undefined : some.at(-1)?.user_id;
    }
  }
}

/** The groups of these users, in the order of groups. */
export function groupsOf(
  reader: Reader,
  provider: string,
  users: readonly string[],
): Promise<Membership[]> {
  return inBatches(users, (some, marks) =>
    reader.all<Membership>(
      `SELECT m.group_id, m.user_id, r.data FROM scim_members m
       JOIN scim_groups r ON r.provider = m.provider AND r.resource = m.group_id
       WHERE m.provider = ? AND m.user_id IN (${marks}) ORDER BY r.id`,
      provider,
      ...some,
    ),
  );
}

/** The given ids that no user has. */
export async function unknownUsers(
  reader: Reader,
  provider: string,
  users: readonly string[],
): Promise<string[]> {
  const existing = await inBatches(users, (some, marks) =>
    reader.all<{ resource: string }>(
      `SELECT resource FROM scim_users WHERE provider = ? AND resource IN (${marks})`,
      provider,
      ...some,
    ),
  );
  const ids = new Set(existing.map(({ resource }) => resource));
  return users.filter((id) => !ids.has(id));
}

/** Adds existing users to a group; returns how many were not members before. */
export async function addMembers(
  tx: Transaction,
  provider: string,
  group: string,
  users: readonly string[],
): Promise<number> {
  const added = await inBatches(users, async (some, marks) => [
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

/** Removes members; returns how many were members. */
export async function removeMembers(
  tx: Transaction,
  provider: string,
  group: string,
  users: readonly string[],
): Promise<number> {
  const removed = await inBatches(users, async (some, marks) => [
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

/** Removes all members of a group; returns how many there were. */
export function removeAllMembers(tx: Transaction, provider: string, group: string) {
  const sql = "DELETE FROM scim_members WHERE provider = ? AND group_id = ?";
  return tx.run(sql, provider, group);
}

/** Removes a user from all groups, and updates the versions of these groups. */
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

/** Deletes all memberships of a deleted provider. */
export async function forgetMembers(tx: Transaction, provider: string): Promise<void> {
  await tx.run("DELETE FROM scim_members WHERE provider = ?", provider);
}

/** Runs work in batches, padded to powers of two: every size is a prepared statement of its own. */
async function inBatches<T>(
  ids: readonly string[],
  work: (some: readonly string[], marks: string) => Promise<T[]>,
): Promise<T[]> {
  const results: T[] = [];
  for (let at = 0; at < ids.length; at += BATCH_SIZE) {
    const some = ids.slice(at, at + BATCH_SIZE);
    const size = 2 ** Math.ceil(Math.log2(some.length));
    while (some.length < size) some.push(some[0] as string);
    results.push(...(await work(some, some.map(() => "?").join(", "))));
  }
  return results;
}
