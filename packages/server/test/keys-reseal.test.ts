import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { rmSync } from "node:fs";
import { after, describe, test } from "node:test";
import { WharfError } from "../src/lib/errors.ts";
import { loadKey } from "../src/secrets/key.ts";
import { Secrets } from "../src/secrets/secrets.ts";
import { openStore } from "../src/store/db/open.ts";
import type { Store } from "../src/store/db/store.ts";
import { readAllSealed } from "../src/store/tables/secrets.ts";
import { newDatabase } from "./support/server/postgres.ts";
import { scratchFolder } from "./support/server/scratch-folder.ts";
import { STORES } from "./support/server/test-server.ts";
import { testSettings } from "./support/server/test-settings.ts";

for (const kind of STORES) {
  describe(`re-encryption with a new key, on ${kind}`, () => {
    const data = scratchFolder("wharf-reseal-");
    const stores: Store[] = [];
    after(async () => {
      for (const store of stores) await store.close();
      rmSync(data, { recursive: true, force: true });
    });

    test("leaves nothing encrypted with the old key, despite concurrent writers on another replica", async () => {
      const flags = kind === "sqlite" ? ["--data", data] : ["--database-url", await newDatabase()];
      const settings = await testSettings(flags);
      const open = async () => {
        const store = await openStore(settings, [], { committed() {} });
        stores.push(store);
        return store;
      };
      const ours = await open();
      const secrets = await Secrets.open(settings, ours);
      const { key } = await loadKey(settings, ours, true);
      // Another replica, which never hears of the new key.
      const theirs = await open();
      const old = new Secrets(key);
      const write = async (at: number) => {
        try {
          await theirs.write((tx) => old.put(tx, "owner", String(at), `value ${at}`));
          return String(at);
        } catch (error) {
          assert.ok(error instanceof WharfError && error.code === "UNAVAILABLE", String(error));
          return undefined;
        }
      };
      assert.equal(await write(-1), "-1");
      const next = randomBytes(32);
      const writing = (async () => {
        const kept: (string | undefined)[] = [];
        for (let at = 0; at < 200; at++) kept.push(await write(at));
        return kept;
      })();
      await ours.write((tx) => secrets.reseal(tx, next));
      const kept = (await writing).filter((name) => name !== undefined);
      const opening = new Secrets(next);
      const rows = await readAllSealed(ours.reader);
      assert.deepEqual(new Set(rows.map(({ name }) => name)), new Set([...kept, "-1"]));
      for (const { owner, name, sealed } of rows) {
        assert.equal(opening.unseal(owner, name, sealed), `value ${name}`);
        assert.throws(() => old.unseal(owner, name, sealed));
      }
      assert.equal(await write(999), undefined, "the old key seals nothing any more");
    });

    test("rejects a key that does not decrypt the store", async () => {
      const [store] = stores as [Store];
      const foreign = new Secrets(randomBytes(32));
      const attempt = store.write((tx) => foreign.reseal(tx, randomBytes(32)));
      await assert.rejects(attempt, /sealed with another key/);
    });
  });
}
