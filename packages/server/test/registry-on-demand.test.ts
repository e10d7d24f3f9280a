import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { Http } from "./support/client/http.ts";
import { RegistryStorage } from "./support/registry/storage.ts";
import { STORES, TestServer } from "./support/server/test-server.ts";
import { until } from "./support/until.ts";
import { TrackedRegistry } from "./support/world/tracked-registry.ts";

const REGISTRIES = "/registry/v2beta1/registries";

for (const store of STORES) {
  describe(`reconcile passes on demand, on ${store}`, () => {
    let tracked: TrackedRegistry;
    before(async () => {
      const flags = ["--reconcile-minutes", "0"];
      tracked = await TrackedRegistry.start({ store, notifies: false, flags });
    });
    after(() => tracked.stop());

    const registry = async () => (await tracked.world.http.get(REGISTRIES)).body.registries[0];

    test("are the only ones if periodic passes are disabled", async () => {
      const storage = new RegistryStorage(tracked.registry.storage);
      storage.tag("acme/asked", "1", storage.image("one"));
      const before = await registry();
      assert.deepEqual([before.pending, before.finishTime], [false, undefined]);
      assert.equal(await tracked.repo("asked"), undefined);
      const { repos, created } = await tracked.reconcile();
      assert.deepEqual([repos, created], [1, 1]);
      assert.ok(await tracked.repo("asked"));
      const { finishTime, beginTime, host } = await registry();
      assert.deepEqual([host, beginTime], [tracked.registry.host, undefined]);
      const { created: again, same } = await tracked.reconcile();
      assert.deepEqual([again, same], [0, 1], "each counts by itself");
      assert.ok(Date.parse((await registry()).finishTime) > Date.parse(finishTime));
    });

    test("require the operator, and leave an audit row and an event", async () => {
      const { http: operator, server } = tracked.world;
      const owner = await tracked.world.registry.holder("owner", "owner");
      const rows = () =>
        tracked.rows<{ subject: string }>(
          "SELECT subject FROM events WHERE type = 'registry.reconcile.requested.v1'",
        );
      const before = await rows();
      for (const [token, status, code] of [
        [await server.token(owner), 403, 7],
        ["", 401, 16],
      ] as const) {
        const caller = new Http(server.url, token);
        for (const answer of [
          await caller.get(REGISTRIES),
          await caller.post(`${REGISTRIES}:reconcile`, {}),
        ]) {
          assert.deepEqual([answer.status, answer.body.code], [status, code]);
        }
      }
      assert.deepEqual(await rows(), before);
      const host = tracked.registry.host;
      assert.equal((await operator.post(`${REGISTRIES}:reconcile`, { host })).status, 200);
      assert.equal((await rows()).length, before.length + 1);
      assert.equal((await rows()).at(-1)?.subject, host);
      const audits = await tracked.rows<{ detail: string }>(
        "SELECT detail FROM audit WHERE method LIKE '%/ReconcileRegistries' ORDER BY id",
      );
      assert.deepEqual(JSON.parse(audits.at(-1)?.detail ?? ""), { host });
    });

    test("are rejected for registries that are not attached", async () => {
      const { http: operator } = tracked.world;
      const host = "elsewhere.example";
      const { status, body } = await operator.post(`${REGISTRIES}:reconcile`, { host });
      assert.equal(status, 404);
      assert.equal(body.details[1].resourceName, host);
    });

    test("report why a registry cannot be read, and work once it can", async () => {
      const { http: operator } = tracked.world;
      await until(async () => !(await registry()).pending);
      await tracked.registry.down();
      await operator.post(`${REGISTRIES}:reconcile`, {});
      const { problem, pending } = await until(async () => {
        const now = await registry();
        return now.problem !== "" && now;
      });
      assert.match(problem, /^Unavailable: the registry .* cannot be read: /);
      assert.equal(pending, true);
      await tracked.registry.up();
      const after = await until(async () => {
        const now = await registry();
        return !now.pending && now;
      });
      assert.deepEqual([after.problem, after.findings.repos], ["", 1]);
    });
  });
}

describe("a server without a registry", () => {
  test("reports that no registry is attached", async () => {
    const server = await TestServer.start();
    const operator = new Http(server.url, await server.token());
    assert.deepEqual((await operator.get(REGISTRIES)).body, { registries: [] });
    const { status, body } = await operator.post(`${REGISTRIES}:reconcile`, {});
    assert.equal(status, 400);
    assert.equal(body.details[1].violations[0].type, "NO_REGISTRY");
    await server.stop();
  });
});
