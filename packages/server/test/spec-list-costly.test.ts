/** Lists that visit many rows run apart from other requests, with the same results. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { storeGroups } from "./support/world/stored-groups.ts";
import { onEachStore, type World } from "./support/world/world.ts";

/** More rows than a list visits on the event loop. */
const ROWS = 1_100;

/** More than the lists that visit many rows a caller may have waiting. */
const CONCURRENCY = 200;

onEachStore("lists that visit many rows", costlyLists);

function costlyLists(world: World): void {
  async function costlyReads(): Promise<number> {
    const metrics = await (await fetch(`${world.server.url}/metrics`)).text();
    return Number(/^wharf_store_costly_reads_total (\d+)$/m.exec(metrics)?.[1]);
  }

  test("are costly reads, and see what was written just before", async () => {
    const api = world.operator();
    const organization = await api.groups.create("", { name: "costly" });
    const folder = await api.groups.create(organization.uid, { name: "folder" });
    const names = Array.from({ length: ROWS }, (_, at) => `team-${String(at).padStart(5, "0")}`);
    await storeGroups(world.server, folder.uid, names);
    const before = await costlyReads();
    for (let more = 1; more <= 3; more++) {
      const last = await api.groups.create(folder.uid, { name: `zz-${more}` });
      const list = await api.groups.list({
        uidp: { descendantsOf: folder.uid },
        orderBy: "name desc",
        pageSize: 2,
      });
      assert.equal(list.groups[0]?.uid, last.uid);
      assert.equal(Number(list.totalCount), ROWS + more);
    }
    assert.ok((await costlyReads()) > before, "the lists ran on the event loop");
  });

  test("do not make short ones of many clients at once too many", async () => {
    const api = world.operator();
    const organization = await api.groups.create("", { name: "short" });
    const names = Array.from({ length: 100 }, (_, at) => `team-${at}`);
    await storeGroups(world.server, organization.uid, names);
    const path = `/iam/v2beta1/groups?uidp.children_of=${organization.uid}&page_size=50`;
    const lists = Array.from({ length: CONCURRENCY }, () => world.http.get(path));
    for (const { status, body } of await Promise.all(lists)) {
      assert.equal(status, 200, JSON.stringify(body));
      assert.equal(body.groups.length, 50);
    }
  });
}
