import { create } from "@bufbuild/protobuf";
import { type Timestamp, timestampNow } from "@bufbuild/protobuf/wkt";
import { GroupSchema, newChildUid, OrgStatus } from "@wharf/contract";
import { groups } from "../../../src/iam/groups.ts";
import type { ResourceRow } from "../../../src/store/resources/rows.ts";
import { Inside } from "./store-access.ts";
import type { TestServer } from "./test-server.ts";

/** So many rows go in one statement: databases limit its parameters. */
const BATCH_SIZE = 1_000;

/**
 * Puts groups below a group, straight into the store of a server; their uids in order.
 *
 * @example const uids = await putGroups(server, organization, 100_000);
 */
export async function putGroups(
  server: TestServer,
  parent: string,
  count: number,
): Promise<string[]> {
  const uids = Array.from({ length: count }, () => newChildUid(parent)).sort();
  const time = timestampNow();
  const inside = await Inside.open(server);
  try {
    for (let at = 0; at < count; at += BATCH_SIZE) {
      const rows = uids.slice(at, at + BATCH_SIZE).map((uid) => rowOf(uid, time));
      const columns = Object.keys(rows[0] ?? {});
      const row = `(${columns.map(() => "?").join(", ")})`;
      const sql = `INSERT INTO groups (${columns.join(", ")}) VALUES ${rows.map(() => row).join(", ")}`;
      await inside.store.write(async (tx) => {
        await tx.run(sql, ...rows.flatMap((one) => Object.values(one)));
        tx.counts.moved("groups", parent, rows.length);
      });
    }
    // Databases do so by themselves, in time; until then they take the table for a small one.
    await inside.store.write((tx) => tx.run("ANALYZE groups"));
  } finally {
    await inside.close();
  }
  return uids;
}

function rowOf(uid: string, time: Timestamp): Omit<ResourceRow, "filters" | "part" | "terms"> {
  const name = `team ${uid.slice(-8)}`;
  const times = { createTime: time, updateTime: time };
  const group = { uid, name, description: "of many", status: OrgStatus.READY, ...times };
  const { filters, ...row } = groups.toRow(create(GroupSchema, group));
  return { ...row, ...filters };
}
