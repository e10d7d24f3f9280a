/** Pushes to a server that is killed, and uploads that nobody finishes. */
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { readdirSync } from "node:fs";
import { request } from "node:http";
import { join } from "node:path";
import { describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import type { Logger } from "../../src/observe/logger.ts";
import { UploadCleanup } from "../../src/registry/serve/upload-cleanup.ts";
import { DiskStorage } from "../../src/registry/storage/disk-storage.ts";
import { OciClient, type PushedImage, sha256 } from "../support/registry/oci-client.ts";
import { DirectStore } from "../support/server/direct-store.ts";
import { World } from "../support/world/world.ts";

const DAY_MS = 24 * 3_600_000;
const ROUNDS = 5;
const INTERRUPTED = 1_000;

describe("the registry", () => {
  async function start(options: { ownProcess?: boolean }): Promise<[World, OciClient]> {
    const world = await World.start({ registry: true, ...options });
    const pusher = await world.registry.holder("pusher", "registry.push");
    const token = await world.signer.token(pusher);
    return [world, new OciClient(world.server.url, `Bearer ${token}`)];
  }

  test("serves every acknowledged image after kill -9, and uploads go on", async (t) => {
    const [world, client] = await start({ ownProcess: true });
    t.after(() => world.stop());
    const acknowledged = new Map<string, PushedImage>();
    for (let round = 0; round < ROUNDS; round++) {
      let isKilled = false;
      const location = await client.begin("acme/app");
      assert.equal((await client.send("PATCH", location, { body: "begun " })).status, 202);
      const pushing = Array.from({ length: 4 }, async (_, at) => {
        for (let next = 0; !isKilled; next++) {
          const tag = `r${round}-${at}-${next}`;
          const content = randomBytes(50_000).toString("base64");
          try {
            acknowledged.set(tag, await client.image("acme/app", tag, content));
          } catch (error) {
            // Unless it was killed, every push succeeds.
            if (!isKilled) throw error;
          }
        }
      });
      const enough = acknowledged.size + 5;
      while (acknowledged.size < enough) await sleep(5);
      isKilled = true;
      await world.server.kill();
      await Promise.all(pushing);
      await world.server.restart();
      const digest = sha256(`begun ${round}`);
      const body = String(round);
      const done = await client.send("PUT", `${location}?digest=${digest}`, { body });
      assert.equal(done.status, 201);
      for (const [tag, image] of acknowledged) {
        const { bytes } = await client.get(`/v2/acme/app/manifests/${tag}`);
        assert.deepEqual(bytes, image.bytes);
        for (const blob of [image.layer, image.config]) {
          assert.equal(sha256((await client.get(`/v2/acme/app/blobs/${blob}`)).bytes), blob);
        }
      }
    }
  });

  test("keeps nothing of a thousand interrupted uploads", async (t) => {
    const [world, client] = await start({});
    t.after(() => world.stop());
    const folder = join(world.server.data, "registry");
    const uploads = () => readdirSync(join(folder, "uploads")).length;
    for (let at = 0; at < INTERRUPTED; at++) {
      const location = await client.begin("acme/app");
      await client.send("PATCH", location, { body: `part ${at}` });
      if (at % 10 > 0) continue;
      const broken = request(`${world.server.url}${location}`, {
        method: "PATCH",
        headers: { authorization: `Bearer ${await world.server.token()}`, "content-length": 100 },
      });
      broken.on("error", () => {});
      broken.write("less");
      broken.destroy();
    }
    assert.ok(uploads() >= INTERRUPTED);
    const storage = new DiskStorage(folder);
    // As a killed process leaves it.
    await storage.writePart(
      (async function* () {
        yield Buffer.from("of no upload");
      })(),
    );
    const direct = await DirectStore.open(world.server);
    const warned: unknown[] = [];
    const log = { warn: (fields: object) => warned.push(fields) } as unknown as Logger;
    const cleanup = new UploadCleanup(direct.store, storage, log);
    await cleanup.run();
    assert.ok(uploads() > INTERRUPTED, "uploads of today stay");
    await cleanup.run(Date.now() + 2 * DAY_MS);
    assert.equal(uploads(), 0);
    assert.deepEqual(warned, [{ parts: 1, blobs: 0 }]);
    await direct.close();
    await storage.close();
  });
});
