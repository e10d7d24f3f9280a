/** Collections of garbage that operators ask for, and what they see of it. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { Http } from "./support/client/http.ts";
import { bytesOf, endLeases, garbageOf, storedBlobs } from "./support/registry/collecting.ts";
import { OciClient } from "./support/registry/oci-client.ts";
import { DirectStore, rawRows } from "./support/server/direct-store.ts";
import { TestServer } from "./support/server/test-server.ts";
import { until } from "./support/until.ts";
import { onEachStore } from "./support/world/world.ts";

const STORAGE = "/registry/v2beta1/storage";

onEachStore(
  "collections of garbage on demand",
  (world) => {
    let client: OciClient;
    let direct: DirectStore;
    before(async () => {
      const pusher = await world.registry.holder("pusher", "registry.push");
      client = new OciClient(world.server.url, `Bearer ${await world.signer.token(pusher)}`);
      direct = await DirectStore.open(world.server);
    });
    after(() => direct.close());

    const status = async () => (await world.http.get(STORAGE)).body;
    /** Asks for a pass, and waits for its end. */
    const run = async (body: object, kind: "collection" | "preview") => {
      const answer = await world.http.post(`${STORAGE}:collect`, body);
      assert.deepEqual([answer.status, answer.body[kind].pending], [200, true]);
      return until(async () => {
        const { [kind]: pass } = await status();
        return pass.pending ? undefined : pass;
      });
    };

    test("show what would be deleted, and delete it", async () => {
      const { store } = direct;
      await client.image("acme/app", "1", "kept");
      await client.blob("acme/app", "deleted");
      await endLeases(store);
      await client.blob("acme/app", "leased");
      const garbage = await garbageOf(store, Date.now());
      const { last: shown } = await run({ dryRun: true }, "preview");
      assert.deepEqual([shown.freedBlobs, shown.freedBytes], ["1", "7"]);
      assert.deepEqual([shown.leasedBlobs, shown.leasedBytes], ["1", "6"]);
      assert.ok(Date.parse(shown.leaseEndTime) > Date.now() + 23 * 3_600_000);
      assert.deepEqual(await garbageOf(store, Date.now()), garbage, "nothing is deleted");
      const { blobs, storedBytes, sumTime, collection } = await status();
      const all = await storedBlobs(store);
      assert.deepEqual([Number(blobs), Number(storedBytes)], [all.length, bytesOf(all)]);
      assert.ok(Date.parse(sumTime) > Date.now() - 600_000);
      assert.deepEqual([collection.pending, collection.finishTime], [false, undefined]);
      const { last, finishTime, lastBeginTime, beginTime } = await run({}, "collection");
      assert.deepEqual(last, shown);
      assert.ok(Date.parse(finishTime) >= Date.parse(lastBeginTime));
      assert.equal(beginTime, undefined);
      const left = await storedBlobs(store);
      assert.equal(left.length, all.length - 1);
      const after = await status();
      assert.deepEqual(
        [Number(after.blobs), Number(after.storedBytes)],
        [left.length, bytesOf(left)],
      );
      const metrics = await (await fetch(`${world.server.url}/metrics`)).text();
      assert.match(metrics, /^wharf_registry_collected_blobs_total 1$/m);
      assert.match(metrics, /^wharf_registry_collected_bytes_total 7$/m);
      assert.ok(world.server.logLines.some((line) => line.includes("garbage of the registry")));
    });

    test("require the operator, and leave an audit entry and an event", async () => {
      const { server, registry } = world;
      const owner = await registry.holder("owner", "owner");
      const types =
        "SELECT subject FROM events WHERE type LIKE '%registry.collection.requested.v1'";
      const events = await rawRows(server, types);
      for (const [token, expected] of [
        [await server.token(owner), 403],
        ["", 401],
      ] as const) {
        const caller = new Http(server.url, token);
        assert.equal((await caller.get(STORAGE)).status, expected);
        assert.equal((await caller.post(`${STORAGE}:collect`, {})).status, expected);
      }
      assert.deepEqual(await rawRows(server, types), events);
      await run({ dryRun: true }, "preview");
      assert.equal((await rawRows<{ subject: string }>(server, types)).at(-1)?.subject, "preview");
      const [entry] = await rawRows<{ detail: string }>(
        server,
        "SELECT detail FROM audit WHERE method LIKE '%/CollectGarbage' ORDER BY id DESC LIMIT 1",
      );
      assert.deepEqual(JSON.parse(entry?.detail ?? ""), { dryRun: true });
    });
  },
  { registry: true, flags: ["--registry-gc-minutes=0", "--exposure-layers=off"] },
);

describe("collections of garbage", () => {
  test("follow a start, at the interval", async () => {
    const server = await TestServer.start({ flags: ["--registry-gc-minutes", "7"] });
    const operator = new Http(server.url, await server.token());
    const ended = await until(async () => {
      const { body } = await operator.get(STORAGE);
      return body.collection.finishTime && body;
    });
    assert.deepEqual([ended.intervalMinutes, ended.preview.finishTime], [7, undefined]);
    await server.terminate();
    await server.restart();
    const { body } = await operator.get(STORAGE);
    assert.deepEqual(body.collection, ended.collection, "not again after each start");
    await server.stop();
  });

  test("are none where the server is no registry", async () => {
    const server = await TestServer.start({ flags: ["--registry-storage", "off"] });
    const operator = new Http(server.url, await server.token());
    for (const answer of [
      await operator.get(STORAGE),
      await operator.post(`${STORAGE}:collect`, {}),
    ]) {
      assert.equal(answer.status, 400);
      assert.equal(answer.body.details[1].violations[0].type, "NO_REGISTRY");
    }
    await server.stop();
  });
});
