import type { Reader } from "../../db/connection.ts";
import { readCounts } from "../../resources/counts.ts";

/** A role binding at a group. */
export interface GroupBinding {
  readonly id: number;
  readonly identity: string;
  readonly role: string;
}

/** Which role bindings: those at a group; with roles, only those of one of them. */
export interface GroupBindings {
  readonly group: string;
  readonly roles: readonly string[] | undefined;
}

/** Role bindings at a group after a row, in the order of the rows. */
export async function readBindingsAt(
  reader: Reader,
  which: GroupBindings,
  { after, skip, limit }: { readonly after: number; readonly skip: number; readonly limit: number },
): Promise<GroupBinding[]> {
  const { from, values } = selectionOf(reader, which, after);
  const lane = which.roles === undefined ? reader : await laneFor(reader, which);
  return lane.all<GroupBinding>(
    `SELECT id, identity_uid AS identity, role_uid AS role ${from} ORDER BY id LIMIT ? OFFSET ?`,
    ...values,
    limit,
    skip,
  );
}

/** The number of role bindings at a group; only of those after a row, if one is given. */
export async function countBindingsAt(
  reader: Reader,
  which: GroupBindings,
  after = 0,
): Promise<number> {
  if (which.roles === undefined && after === 0) {
    return (await readCounts(reader, "role_bindings", which.group)).children;
  }
  const { from, values } = selectionOf(reader, which, after);
  const lane = await laneFor(reader, which);
  const row = await lane.get<{ total: number }>(`SELECT count(*) AS total ${from}`, ...values);
  return row?.total ?? 0;
}

/** Some identities with one of these roles at a group, by the oldest of their role bindings. */
export async function identitiesBoundAt(
  reader: Reader,
  which: GroupBindings,
  limit: number,
): Promise<string[]> {
  const { from, values } = selectionOf(reader, which);
  const lane = await laneFor(reader, which);
  const rows = await lane.all<{ identity: string }>(
    `SELECT identity_uid AS identity ${from} GROUP BY identity_uid ORDER BY min(id) LIMIT ?`,
    ...values,
    limit,
  );
  return rows.map(({ identity }) => identity);
}

/** The index of the parent has the rows of a group in their order: role bindings have no name. */
function selectionOf({ dialect }: Reader, { group, roles }: GroupBindings, after = 0) {
  const from = "FROM role_bindings WHERE parent = ? AND name = '' AND id > ?";
  if (roles === undefined) return { from, values: [group, after] };
  return {
    from: `${from} AND role_uid IN (${dialect.texts})`,
    values: [group, after, JSON.stringify(roles)],
  };
}

/** Role bindings of a group that a statement may read on the event loop: about a millisecond. */
const MAX_CHEAP_ROWS = 500;

/** For statements that may read all role bindings of a group: no index has their roles. */
async function laneFor(reader: Reader, { group }: GroupBindings): Promise<Reader> {
  if (reader.costly === undefined) return reader;
  const { children } = await readCounts(reader, "role_bindings", group);
  return children <= MAX_CHEAP_ROWS ? reader : reader.costly;
}
