/** Restore drills: backup, destroy, restore, and every row is there; and moves between the two databases. */
import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { after, describe, test } from "node:test";
import { gunzipSync } from "node:zlib";
import { Decrypter } from "age-encryption";
import pg from "pg";
import { checkStore } from "../../src/app/admin-check.ts";
import { backUp } from "../../src/app/backup/back-up.ts";
import { moveStore } from "../../src/app/backup/move.ts";
import { restore } from "../../src/app/backup/restore.ts";
import type { Settings } from "../../src/config/settings.ts";
import { createIdentity } from "../../src/lib/age/age.ts";
import { Http } from "../support/client/http.ts";
import { emptyDatabase } from "../support/server/postgres.ts";
import { scratchFolder } from "../support/server/scratch-folder.ts";
import { fixtureVersions, restoreFixture } from "../support/server/store-fixture.ts";
import { storeRows } from "../support/server/store-rows.ts";
import { STORES, type StoreKind, TestServer } from "../support/server/test-server.ts";
import { testSettings } from "../support/server/test-settings.ts";

const { recipient, secret } = await createIdentity();
const lock = { recipients: [recipient] };
const unlock = { identities: [secret] };
const newest = fixtureVersions().at(-1) as string;
/** Its schema has fewer steps than that of today. */
const EARLIER = "0.1.0-dev.13";
const folder = scratchFolder("wharf-backup-");
const at = (name: string) => join(folder, name);
after(() => rmSync(folder, { recursive: true }));

/** A store with resources of every kind, events and an audit log, whose server was stopped. */
async function filledStore(store: StoreKind): Promise<Settings> {
  const { storeFlags } = await restoreFixture(newest, store);
  const server = await TestServer.start({ sameStoreAs: { storeFlags } });
  const api = new Http(server.url, await server.token());
  try {
    const group = { name: "moved", description: "naïve ☃" };
    const { uid } = (await api.post("/iam/v2beta1/groups", group)).body;
    assert.equal((await api.post(`/iam/v2beta1/groups/${uid}`, { name: "child" })).status, 200);
  } finally {
    await server.stop();
  }
  return testSettings(storeFlags);
}

function flagsOf({ data, databaseUrl, secretKeyFile }: Settings): string[] {
  const where = databaseUrl === "" ? ["--data", data] : ["--database-url", databaseUrl];
  return secretKeyFile === "" ? where : [...where, "--secret-key-file", secretKeyFile];
}

/** A server starts on the store, knows its keys, lists and writes. */
async function serves(settings: Settings): Promise<void> {
  const server = await TestServer.start({ sameStoreAs: { storeFlags: flagsOf(settings) } });
  try {
    const api = new Http(server.url, await server.token());
    const { groups } = (await api.get("/iam/v2beta1/groups?name=child")).body;
    assert.deepEqual(
      groups.map(({ name }: { name: string }) => name),
      ["child"],
    );
    const { status } = await api.post(`/iam/v2beta1/groups/${groups[0].uid}`, { name: "later" });
    assert.equal(status, 200);
    assert.equal((await api.get("/iam/v2beta1/groups?name=later")).body.groups.length, 1);
  } finally {
    await server.stop();
  }
  assert.deepEqual(
    (await checkStore(settings, { rehash: false, progress: () => {} })).problems,
    [],
  );
}

async function destroy({ data, databaseUrl, secretKeyFile }: Settings): Promise<void> {
  if (databaseUrl === "") rmSync(data, { recursive: true });
  else {
    const client = new pg.Client({ connectionString: databaseUrl });
    await client.connect();
    await client.query("DROP SCHEMA public CASCADE; CREATE SCHEMA public");
    await client.end();
  }
  rmSync(secretKeyFile, { force: true });
}

async function inTarget(store: StoreKind, name: string): Promise<Settings> {
  const where =
    store === "sqlite" ? ["--data", at(name)] : ["--database-url", await emptyDatabase()];
  return testSettings([...where, "--secret-key-file", at(`${name}.key`)]);
}

for (const store of STORES) {
  describe(`backup and restore on ${store}`, () => {
    const file = at(`${store}.backup`);

    test("backup, destroy, restore: every row and the keys are back", async () => {
      const settings = await filledStore(store);
      const before = await storeRows(settings);
      const steps: number[] = [];
      const { rows } = await backUp(settings, { file, lock, progress: (done) => steps.push(done) });
      assert.equal((statSync(file).mode & 0o777).toString(8), "600");
      assert.equal(rows, Object.values(before).flat().length);
      assert.equal(steps.at(-1), rows);
      const key = readFileSync(settings.secretKeyFile);
      await destroy(settings);
      const restored = await restore(settings, { file, unlock });
      assert.equal(restored.rows, rows);
      assert.deepEqual(await storeRows(settings), before);
      assert.ok(readFileSync(settings.secretKeyFile).equals(key));
      assert.equal((statSync(settings.secretKeyFile).mode & 0o777).toString(8), "600");
      await serves(settings);
      await assert.rejects(restore(settings, { file, unlock }), /exists: choose another|not empty/);
    });

    test("the other database restores it, too", async () => {
      const other = await inTarget(store === "sqlite" ? "postgres" : "sqlite", `${store}-other`);
      await restore(other, { file, unlock });
      await serves(other);
    });

    test("nothing of the content is readable without the key of a recipient", async () => {
      const content = readFileSync(file);
      for (const text of ["naïve", "groups", "wharf-backup", "CREATE TABLE"])
        assert.ok(!content.includes(text), text);
      const reader = new Decrypter();
      reader.addIdentity(secret);
      const lines = gunzipSync(await reader.decrypt(content)).toString();
      assert.match(lines, /^\{"format":"wharf-backup"/);
      assert.ok(lines.includes("naïve ☃"), "age and gunzip read it");
    });

    test("a damaged or shortened backup leaves nothing behind", async () => {
      const content = readFileSync(file);
      const target = await inTarget(store, `${store}-damaged`);
      const variants = [
        content.subarray(0, content.length - 1_000),
        Buffer.from(content.map((byte, place) => (place === 5_000 ? byte ^ 1 : byte))),
      ];
      for (const variant of variants) {
        writeFileSync(at("damaged"), variant);
        const restoring = restore(target, { file: at("damaged"), unlock });
        await assert.rejects(restoring, /damaged cannot be restored: it was changed or cut off/);
        assert.ok(!existsSync(target.secretKeyFile));
        assert.deepEqual(existsSync(target.data) ? readdirSync(target.data) : [], []);
      }
      await restore(target, { file, unlock });
    });

    test("a store of an earlier version is restored as it was, and upgraded by the next start", async () => {
      const { storeFlags } = await restoreFixture(EARLIER, store);
      const settings = await testSettings(storeFlags);
      const before = await storeRows(settings);
      const early = at(`${store}-early.backup`);
      await backUp(settings, { file: early, lock });
      const target = await inTarget(store, `${store}-early`);
      await restore(target, { file: early, unlock });
      assert.deepEqual(await storeRows(target), before);
      const server = await TestServer.start({ sameStoreAs: { storeFlags: flagsOf(target) } });
      await server.stop();
      assert.deepEqual(
        (await checkStore(target, { rehash: false, progress: () => {} })).problems,
        [],
      );
    });
  });
}

describe("moving a store", () => {
  /** Positions in the log of events are those of a database; each has its own records of its schema. */
  const rowsOf = async (settings: Settings) => {
    const { migrations, table_digests, ...rows } = await storeRows(settings, ["events.tx"]);
    assert.ok(migrations && table_digests);
    return rows;
  };

  test("from SQLite to PostgreSQL and back, every row is the same", async () => {
    const first = await filledStore("sqlite");
    const original = await rowsOf(first);
    const databaseUrl = await emptyDatabase();
    const moved = await moveStore(first, { data: "", databaseUrl });
    assert.equal(moved.secretKey, first.secretKeyFile, "the key stays where it is");
    const second = { ...first, databaseUrl };
    assert.deepEqual(await rowsOf(second), original);
    const third = { ...first, data: at("moved-back") };
    await moveStore(second, third);
    assert.deepEqual(await rowsOf(third), original);
    for (const settings of [second, third]) await serves(settings);
  });

  test("not while a server uses it", async () => {
    for (const store of STORES) {
      const server = await TestServer.start({ store });
      const settings = await testSettings(server.storeFlags);
      const to = { data: at(`busy-${store}`), databaseUrl: "" };
      await assert.rejects(
        moveStore(settings, to),
        /another server uses it|stop all servers first/,
      );
      assert.ok(!existsSync(join(to.data, "wharf.db")));
      await server.stop();
    }
  });

  test("a key in the database of PostgreSQL becomes a file beside SQLite", async () => {
    const server = await TestServer.start({ store: "postgres" });
    const settings = await testSettings(server.storeFlags);
    await server.stop();
    assert.equal(settings.secretKeyFile, "");
    const to = { ...settings, data: at("from-database"), databaseUrl: "" };
    const { secretKey } = await moveStore(settings, to);
    assert.equal(secretKey, at("from-database/secret.key"));
    assert.equal((statSync(secretKey).mode & 0o777).toString(8), "600");
    const database = new DatabaseSync(at("from-database/wharf.db"), { readOnly: true });
    const stored = database
      .prepare("SELECT name FROM installation WHERE name = 'secret-key'")
      .all();
    database.close();
    assert.deepEqual(stored, []);
    const restarted = await TestServer.start({ sameStoreAs: { storeFlags: flagsOf(to) } });
    await restarted.stop();
  });
});
