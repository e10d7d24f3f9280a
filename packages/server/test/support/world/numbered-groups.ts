/** Very many groups, made by the database itself. */

import { newChildUid } from "@wharf/contract";
import type { Transaction } from "../../../src/store/db/commit/transaction.ts";
import type { Value } from "../../../src/store/db/connection.ts";
import { CountChanges } from "../../../src/store/resources/counts.ts";
import { DirectStore } from "../server/direct-store.ts";
import type { TestServer } from "../server/test-server.ts";
import { groupNamed } from "./stored-groups.ts";

/** Groups that one transaction writes: a write-ahead log for all would be as large as the database. */
const BATCH_SIZE = 100_000;

/** The digits of a number, and the distance between numbers in uids: a million fit. */
const DIGITS = 7;
const STRIDE = 4_000;

/**
 * Stores groups below another on SQLite, with names that count from 0: `team-0000000`. SQLite copies the first one,
 * which takes a tenth of the time. Uids ascend with names, so that every index grows at its end.
 *
 * @example await storeNumberedGroups(server, organization, "team-", 1_000_000);
 */
export async function storeNumberedGroups(
  server: TestServer,
  parent: string,
  prefix: string,
  count: number,
): Promise<void> {
  const direct = await DirectStore.open(server);
  const { groups } = direct.engine.catalog;
  const first = groupNamed(`${prefix}${"0".repeat(DIGITS)}`, newChildUid(parent));
  try {
    await direct.change((change) => change.insertAll(groups, [first]));
    for (let from = 1; from < count; from += BATCH_SIZE) {
      const more = Math.min(BATCH_SIZE, count - from);
      await direct.change(async ({ tx }) => {
        await copyGroup(tx, first, [from, from + more]);
        tx.changes(CountChanges).moved(groups.table.shape.name, parent, more);
      });
    }
  } finally {
    await direct.close();
  }
}

/** Copies a group for each number of a range. The number and its uid replace those of the group wherever these occur. */
async function copyGroup(
  tx: Transaction,
  { uid, name }: { readonly uid: string; readonly name: string },
  [from, to]: readonly [from: number, to: number],
): Promise<void> {
  const row = await tx.get<Record<string, Value>>("SELECT * FROM groups WHERE uid = ?", uid);
  const segment = uid.slice(uid.lastIndexOf("/") + 1);
  const { id: _, ...columns } = row ?? {};
  const copied = Object.entries(columns).map(([column, value]) => {
    const text = value instanceof Uint8Array ? Buffer.from(value).toString("latin1") : `${value}`;
    if (!text.includes(segment) && !text.includes(name)) return `first.${column}`;
    const replaced = `replace(replace(first.${column}, first_segment, made.segment), first_name, made.name)`;
    return value instanceof Uint8Array ? `CAST(${replaced} AS BLOB)` : replaced;
  });
  await tx.run(
    `WITH RECURSIVE
       numbers(number) AS (VALUES (?) UNION ALL SELECT number + 1 FROM numbers WHERE number + 1 < ?),
       made AS MATERIALIZED (
         SELECT printf('%08x', number * ${STRIDE}) || lower(hex(randomblob(4))) AS segment,
           ? || printf('%0${DIGITS}d', number) AS name
         FROM numbers)
     INSERT INTO groups (${Object.keys(columns).join(", ")})
     SELECT ${copied.join(", ")}
     FROM (SELECT ? AS first_segment, ? AS first_name) CROSS JOIN made
     CROSS JOIN groups first ON first.uid = ?`,
    from,
    to,
    name.slice(0, -DIGITS),
    segment,
    name,
    uid,
  );
}
