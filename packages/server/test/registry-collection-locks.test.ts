/** On PostgreSQL, a collection and those who rely on a blob wait for each other or step aside. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Transaction } from "../src/store/db/commit/transaction.ts";
import { deleteGarbage } from "../src/store/tables/registry/blob-garbage.ts";
import { keepBlobs } from "../src/store/tables/registry/blobs.ts";
import { endLeases } from "./support/registry/collecting.ts";
import { MANIFEST, type OciAnswer, OciClient } from "./support/registry/oci-client.ts";
import { DirectStore } from "./support/server/direct-store.ts";
import { until } from "./support/until.ts";
import { onStore } from "./support/world/world.ts";

const NAME = "acme/app";

onStore(
  "postgres",
  "a collection beside other replicas",
  (world) => {
    let client: OciClient;
    let direct: DirectStore;
    let repo: string;
    before(async () => {
      const pusher = await world.registry.holder("pusher", "registry.push");
      client = new OciClient(world.server.url, `Bearer ${await world.signer.token(pusher)}`);
      direct = await DirectStore.open(world.server);
      await client.blob(NAME, "first");
      const [row] = await direct.store.reader.all<{ repo: string }>("SELECT repo FROM blob_links");
      repo = row?.repo as string;
    });
    after(() => direct.close());

    /** A transaction of another replica that stays open after its work until it is released. */
    const open = async <T>(work: (tx: Transaction) => Promise<T>) => {
      const { promise: released, resolve: release } = Promise.withResolvers<void>();
      const { promise: reached, resolve: reach } = Promise.withResolvers<void>();
      const ended = direct.store.write(async (tx) => {
        const result = await work(tx);
        reach();
        await released;
        return result;
      });
      await Promise.race([reached, ended]);
      return async () => {
        release();
        return ended;
      };
    };
    const collectOnce = (digest: string) => (tx: Transaction) =>
      deleteGarbage(tx, [digest], [{ repo, digest }], Date.now());
    /** Waits until a request waits for a lock. */
    const waits = async (sent: Promise<OciAnswer>) => {
      let isAnswered = false;
      void sent.finally(() => {
        isAnswered = true;
      });
      const waiting = `SELECT 1 AS one FROM pg_stat_activity
        WHERE datname = current_database() AND wait_event_type = 'Lock'`;
      await until(async () => isAnswered || (await direct.store.reader.all(waiting)).length > 0);
      assert.ok(!isAnswered, "it does not wait");
    };

    test("a blob that somebody relies on is left to the next pass", async () => {
      const digest = await client.blob(NAME, "relied on");
      await endLeases(direct.store);
      const other = await DirectStore.open(world.server);
      const end = await open((tx) => keepBlobs(tx, [digest]));
      const deleted = await other.store.write(collectOnce(digest));
      await end();
      await other.close();
      assert.deepEqual(deleted, []);
      assert.equal((await direct.store.write(collectOnce(digest))).length, 1);
    });

    const late: Record<string, (digest: string, manifest: object) => Promise<OciAnswer>> = {
      "a manifest": (_digest, manifest) => client.putManifest(NAME, "late", manifest, MANIFEST),
      "a HEAD": (digest) => client.send("HEAD", `/v2/${NAME}/blobs/${digest}`),
      "a mount": (digest) =>
        client.send("POST", `/v2/acme/other/blobs/uploads/?mount=${digest}&from=${NAME}`),
      "a deletion": (digest) => client.send("DELETE", `/v2/${NAME}/blobs/${digest}`),
    };
    const expected: Record<string, number> = {
      ...{ "a manifest": 404, "a HEAD": 404, "a mount": 202, "a deletion": 404 },
    };
    for (const [what, send] of Object.entries(late)) {
      test(`${what} waits for the deletion that came first, and finds the blob gone`, async () => {
        const manifest = await client.manifestOf(NAME, `before ${what}`);
        const digest = manifest.layers[0]?.digest as string;
        await endLeases(direct.store);
        const end = await open(collectOnce(digest));
        const sent = send(digest, manifest);
        await waits(sent).finally(end);
        assert.equal((await end()).length, 1);
        assert.equal((await sent).status, expected[what]);
      });
    }
  },
  { registry: true, flags: ["--registry-gc-minutes=0", "--exposure-layers=off"] },
);
