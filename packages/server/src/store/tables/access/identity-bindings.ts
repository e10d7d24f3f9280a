import { subtreeEnd } from "@wharf/contract";
import { nameText } from "../../db/commit/locked-names.ts";
import type { Transaction } from "../../db/commit/transaction.ts";
import type { Reader } from "../../db/connection.ts";

/** A role that an identity has at a group, by one binding or several. */
export type BoundRole = readonly [group: string, role: string];

/** Rows read by one statement: about a millisecond. */
const BATCH_SIZE = 1_000;

/** Sorts after every uid: uids are hexadecimal. */
const AFTER_ALL = "g";

async function readBoundRoles(
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

/** The roles of an identity in the order of their groups, in batches; in one root where one is given. */
export async function* boundRoles(
  reader: Reader,
  identity: string,
  root?: string,
): AsyncIterable<readonly BoundRole[]> {
  let after: BoundRole | undefined;
  do {
    const page = { ...(root === undefined ? {} : { root }), after, limit: BATCH_SIZE };
    const rows = await readBoundRoles(reader, identity, page);
    yield rows;
    after = rows.length < BATCH_SIZE ? undefined : rows.at(-1);
  } while (after !== undefined);
}

/** The number of role bindings of an identity, in one root where one is given, up to the limit. */
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

/** Whether an identity has a binding of a role at a group. */
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
 * The oldest role binding of an identity and a role at a group. Serializes transactions that create or change such ones.
 */
export async function lockBinding(
  tx: Transaction,
  identity: string,
  group: string,
  role: string,
): Promise<string | undefined> {
  const { lockTexts } = tx.dialect;
  const text = nameText("role_bindings", group, `${identity} ${role}`);
  if (lockTexts !== "") await tx.get(lockTexts, JSON.stringify([text]));
  const row = await tx.get<{ uid: string }>(
    `SELECT uid FROM role_bindings WHERE identity_uid = ? AND parent = ? AND role_uid = ?
     ORDER BY id LIMIT 1`,
    identity,
    group,
    role,
  );
  return row?.uid;
}

/** The uids of role bindings of an identity, oldest first. */
export async function readBindingUids(
  reader: Reader,
  identity: string,
  limit: number,
): Promise<string[]> {
  const sql = "SELECT uid FROM role_bindings WHERE identity_uid = ? ORDER BY id LIMIT ?";
  const rows = await reader.arrays<readonly [string]>(sql, identity, limit);
  return rows.map(([uid]) => uid);
}

/** The groups at which a role is bound to an identity. */
export async function groupsOfRole(
  reader: Reader,
  identity: string,
  role: string,
): Promise<string[]> {
  const sql = "SELECT DISTINCT parent FROM role_bindings WHERE identity_uid = ? AND role_uid = ?";
  return (await reader.arrays<readonly [string]>(sql, identity, role)).map(([group]) => group);
}

/** The bindings of a role at a group, oldest first. */
export function bindingsOfRole(
  reader: Reader,
  group: string,
  role: string,
): Promise<{ readonly uid: string; readonly identity: string }[]> {
  return reader.all(
    `SELECT uid, identity_uid AS identity FROM role_bindings WHERE parent = ? AND role_uid = ?
     ORDER BY id`,
    group,
    role,
  );
}

/** A role binding of an identity. */
export interface IdentityBinding {
  readonly id: number;
  readonly group: string;
  readonly role: string;
}

/** The role bindings of an identity at these groups, in the order of group, role and row. */
export function bindingsAt(
  reader: Reader,
  identity: string,
  groups: readonly string[],
): Promise<IdentityBinding[]> {
  return reader.all<IdentityBinding>(
    `${BINDINGS_OF} AND parent IN (${reader.dialect.texts}) ORDER BY parent, role_uid, id`,
    identity,
    JSON.stringify(groups),
  );
}

/** All role bindings of an identity in the same order, in batches. */
export async function* bindingsOf(
  reader: Reader,
  identity: string,
): AsyncIterable<readonly IdentityBinding[]> {
  let last: IdentityBinding | undefined;
  do {
    const rows: IdentityBinding[] = await reader.all<IdentityBinding>(
      `${BINDINGS_OF} AND (parent, role_uid, id) > (?, ?, ?)
       ORDER BY parent, role_uid, id LIMIT ?`,
      identity,
      last?.group ?? "",
      last?.role ?? "",
      last?.id ?? 0,
      BATCH_SIZE,
    );
    yield rows;
    last = rows.length < BATCH_SIZE ? undefined : rows.at(-1);
  } while (last !== undefined);
}

/** Columns of one index. */
const BINDINGS_OF = `SELECT id, parent AS "group", role_uid AS role FROM role_bindings
  WHERE identity_uid = ?`;

/** The uids of role bindings, by row. */
export async function bindingUids(
  reader: Reader,
  ids: readonly number[],
): Promise<Map<number, string>> {
  if (ids.length === 0) return new Map();
  const marks = ids.map(() => "?").join(", ");
  const sql = `SELECT id, uid FROM role_bindings WHERE id IN (${marks})`;
  return new Map(await reader.arrays<readonly [number, string]>(sql, ...ids));
}
