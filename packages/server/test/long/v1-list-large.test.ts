import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { get, type IncomingMessage } from "node:http";
import { before, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { create } from "@bufbuild/protobuf";
import { type Timestamp, timestampNow } from "@bufbuild/protobuf/wkt";
import { GroupSchema, newChildUid, OrgStatus } from "@wharf/contract";
import { groups } from "../../src/iam/groups.ts";
import { CountChanges } from "../../src/store/resources/counts.ts";
import type { ResourceRow } from "../../src/store/resources/rows.ts";
import { Http } from "../support/client/http.ts";
import { DirectStore } from "../support/server/direct-store.ts";
import type { TestServer } from "../support/server/test-server.ts";
import { onEachStore } from "../support/world/world.ts";

/** Maximum growth of a server's memory while it writes one list, garbage included. */
const MAX_GROWTH_MIB = 256;

/** So many clients that do not read would take twice that, if their lists were in memory. */
const IDLE = 24;

onEachStore(
  "very long lists of version 1",
  (world) => {
    let org: string;
    let uids: readonly string[];
    before(async () => {
      org = await world.organization();
      uids = await putGroups(world.server, org, 100_000);
      // Whatever is made once is made.
      await new Http(world.server.url, world.operator().token).get("/iam/v1/groups?id=x");
    });

    const mib = () => {
      const kib = execFileSync("ps", [
        "-o",
        "rss=",
        "-p",
        String(world.server.process.pid),
      ]).toString();
      return Number(kib) / 1024;
    };
    const path = () => `/iam/v1/groups?uidp.childrenOf=${org}`;
    const begin = async () => {
      const authorization = `Bearer ${world.operator().token}`;
      const request = get(`${world.server.url}${path()}`, { headers: { authorization } });
      const [response] = (await once(request, "response")) as [IncomingMessage];
      assert.equal(response.statusCode, 200);
      return { request, response };
    };

    test("are streamed over REST in bounded memory", async () => {
      const before = mib();
      let most = 0;
      const { response } = await begin();
      const chunks: Buffer[] = [];
      for await (const chunk of response) {
        chunks.push(chunk as Buffer);
        if (chunks.length % 200 === 0) most = Math.max(most, mib());
      }
      const { items } = JSON.parse(Buffer.concat(chunks).toString());
      assert.deepEqual(
        items.map((item: { id: string }) => item.id),
        uids,
      );
      most = Math.max(most, mib());
      assert.ok(most - before < MAX_GROWTH_MIB, `it grew from ${before} to ${most} MiB`);
    });

    test("are one message over gRPC, and only that is kept in memory", async () => {
      const before = mib();
      const { items } = await world.operator("gRPC").v1.groups.list({ uidp: { childrenOf: org } });
      assert.deepEqual(
        items.map((item: { id: string }) => item.id),
        uids,
      );
      const most = mib();
      assert.ok(most - before < MAX_GROWTH_MIB, `it grew from ${before} to ${most} MiB`);
    });

    test("stay bounded for slow and disconnecting clients", async () => {
      const before = mib();
      const all: Awaited<ReturnType<typeof begin>>[] = [];
      for (let client = 0; client < IDLE; client++) all.push(await begin());
      await sleep(500);
      const most = mib();
      for (const { request } of all) request.destroy();
      assert.ok(most - before < MAX_GROWTH_MIB, `it grew from ${before} to ${most} MiB`);
      const rest = new Http(world.server.url, world.operator().token);
      const [first] = uids;
      const { body } = await rest.get(`/iam/v1/groups?id=${first}`);
      assert.deepEqual([body.items.length, body.items[0].id], [1, first]);
      assert.doesNotMatch(world.server.log, /"level":(50|60)|"level":"(error|fatal)"/);
    });
  },
  { ownProcess: true },
);

/** So many rows go in one statement: databases limit its parameters. */
const BATCH_SIZE = 1_000;

/**
 * Puts groups below a group, straight into the store of a server; their uids in order.
 *
 * @example const uids = await putGroups(server, organization, 100_000);
 */
async function putGroups(server: TestServer, parent: string, count: number): Promise<string[]> {
  const uids = Array.from({ length: count }, () => newChildUid(parent)).sort();
  const time = timestampNow();
  const direct = await DirectStore.open(server);
  try {
    for (let at = 0; at < count; at += BATCH_SIZE) {
      const rows = uids.slice(at, at + BATCH_SIZE).map((uid) => rowOf(uid, time));
      const columns = Object.keys(rows[0] ?? {});
      const row = `(${columns.map(() => "?").join(", ")})`;
      const sql = `INSERT INTO groups (${columns.join(", ")}) VALUES ${rows.map(() => row).join(", ")}`;
      await direct.store.write(async (tx) => {
        await tx.run(sql, ...rows.flatMap((one) => Object.values(one)));
        tx.changes(CountChanges).moved("groups", parent, rows.length);
      });
    }
    // Databases do so by themselves, in time; until then they take the table for a small one.
    await direct.store.write((tx) => tx.run("ANALYZE groups"));
  } finally {
    await direct.close();
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
