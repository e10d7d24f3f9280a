import { subtreeEnd } from "@wharf/contract";
import type { Reader } from "../db/connection.ts";

/** A role that an identity is bound to at a group, by however many bindings. */
export type BoundRole = readonly [group: string, role: string];

/** Rows read by one statement: about a millisecond. */
const PAGE_SIZE = 1_000;

/** After every uid, which is made of hex digits. */
const AFTER_ALL = "g";

function readBoundRoles(
  reader: Reader,
  identity: string,
  page: { readonly root?: string; readonly after?: BoundRole | undefined; readonly limit: number },
): Promise<BoundRole[]> {
  const { root, after = [root ?? "", ""], limit } = page;
  return reader.arrays<BoundRole>(
    `SELECT DISTINCT parent, role_uid FROM role_bindings
     WHERE identity_uid = ? AND (parent, role_uid) > (?, ?) AND parent < ?
     ORDER BY parent, role_uid LIMIT ?`,
    identity,
    ...after,
    root === undefined ? AFTER_ALL : subtreeEnd(root),
    limit,
  );
}

/**
 * The roles that an identity is bound to, in the order of their groups, page by page; within one root
 * where one is named.
 *
 * @example for await (const page of boundRoles(reader, identity)) …
 */
export async function* boundRoles(
  reader: Reader,
  identity: string,
  root?: string,
): AsyncIterable<readonly BoundRole[]> {
  let after: BoundRole | undefined;
  do {
    const page = { ...(root === undefined ? {} : { root }), after, limit: PAGE_SIZE };
    const rows = await readBoundRoles(reader, identity, page);
    yield rows;
    after = rows.length < PAGE_SIZE ? undefined : rows.at(-1);
  } while (after !== undefined);
}

/**
 * How many role bindings an identity has, within one root where one is named. Counts no further than
 * the limit.
 *
 * @example if ((await countBindings(tx, identity, { root, limit: 100 })) < 100) …
 */
export async function countBindings(
  reader: Reader,
  identity: string,
  { root, limit }: { readonly root?: string; readonly limit: number },
): Promise<number> {
  const row = await reader.get<{ total: number }>(
    `SELECT count(*) AS total FROM (
       SELECT 1 FROM role_bindings
       WHERE identity_uid = ? AND parent >= ? AND parent < ? LIMIT ?) counted`,
    identity,
    root ?? "",
    root === undefined ? AFTER_ALL : subtreeEnd(root),
    limit,
  );
  return row?.total ?? 0;
}

/** Whether an identity has a role at a group by a binding there. */
export async function hasBinding(
  reader: Reader,
  identity: string,
  group: string,
  role: string,
): Promise<boolean> {
  const sql =
    "SELECT 1 AS found FROM role_bindings WHERE identity_uid = ? AND parent = ? AND role_uid = ? LIMIT 1";
  return (await reader.get(sql, identity, group, role)) !== undefined;
}

/**
 * The uids of role bindings of an identity, oldest first, at most so many.
 *
 * @example const some = await readBindingUids(tx, identity, 500);
 */
export async function readBindingUids(
  reader: Reader,
  identity: string,
  limit: number,
): Promise<string[]> {
  const sql = "SELECT uid FROM role_bindings WHERE identity_uid = ? ORDER BY id LIMIT ?";
  const rows = await reader.arrays<readonly [string]>(sql, identity, limit);
  return rows.map(([uid]) => uid);
}
