import { create } from "@bufbuild/protobuf";
import { timestampNow } from "@bufbuild/protobuf/wkt";
import { GroupSchema, newChildUid, OrgStatus } from "@wharf/contract";
import { groups } from "../../src/iam/groups.ts";
import { Inside } from "./inside.ts";
import type { TestServer } from "./server.ts";

/** So many rows go in one transaction. */
const AT_ONCE = 5_000;

/**
 * Puts groups below a group, straight into the store of a server; their uids in order.
 *
 * @example const uids = await putGroups(server, organisation, 100_000);
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
    for (let at = 0; at < count; at += AT_ONCE) {
      await inside.store.write(async (tx) => {
        for (const uid of uids.slice(at, at + AT_ONCE)) {
          const name = `team ${uid.slice(-8)}`;
          const times = { createTime: time, updateTime: time };
          const group = { uid, name, description: "of many", status: OrgStatus.READY, ...times };
          await groups.table.insert(tx, groups.toRow(create(GroupSchema, group)));
        }
      });
    }
  } finally {
    await inside.close();
  }
  return uids;
}
