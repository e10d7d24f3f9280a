import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { after, before, describe, test } from "node:test";
import { checkStore } from "../../src/app/admin-check.ts";
import { backUp } from "../../src/app/backup/back-up.ts";
import { restore } from "../../src/app/backup/restore.ts";
import { Http } from "../support/client/http.ts";
import { scratchFolder } from "../support/server/scratch-folder.ts";
import { TestServer } from "../support/server/test-server.ts";
import { testSettings } from "../support/server/test-settings.ts";

const WRITERS = 16;
const BACKUPS = 5;
const KILLS = 5;

const secret = { passphrase: "correct horse battery staple", workFactor: 10 };

describe("a SQLite store under continuous writes", () => {
  const folder = scratchFolder("wharf-long-backup-");
  let server: TestServer;
  let operator: Http;
  let org: string;
  before(async () => {
    server = await TestServer.start({ ownProcess: true, flags: ["--log-level", "silent"] });
    operator = new Http(server.url, await server.token());
    org = (await operator.post("/iam/v2beta1/groups", { name: "acme" })).body.uid;
  });
  after(async () => {
    await server.stop();
    rmSync(folder, { recursive: true });
  });

  /** Runs work while writers write, each on a name of its own; returns every acknowledged uid. */
  const whileWriting = async (work: (acknowledged: ReadonlySet<string>) => Promise<void>) => {
    const acknowledged = new Set<string>();
    let writing = true;
    const writers = Array.from({ length: WRITERS }, async () => {
      while (writing) {
        const { status, body } = await operator.post(`/iam/v2beta1/groups/${org}`, {
          name: "g",
          description: "d".repeat(400),
        });
        assert.equal(status, 200);
        acknowledged.add(body.uid);
      }
    });
    await work(acknowledged).finally(() => {
      writing = false;
    });
    await Promise.all(writers);
  };

  test("backups end, are sound, and have everything that was acknowledged before", async () => {
    const settings = await testSettings(server.storeFlags);
    await whileWriting(async (acknowledged) => {
      for (let round = 0; round < BACKUPS; round++) {
        const known = [...acknowledged];
        const file = join(folder, `${round}.backup`);
        await backUp(settings, { file, lock: secret });
        const data = join(folder, String(round));
        const restored = await testSettings(["--data", data]);
        await restore(restored, { file, unlock: secret });
        assert.deepEqual(
          (await checkStore(restored, { rehash: false, progress: () => {} })).problems,
          [],
        );
        const database = new DatabaseSync(join(data, "wharf.db"), { readOnly: true });
        const uids = new Set(
          database
            .prepare("SELECT uid FROM groups")
            .all()
            .map(({ uid }) => uid),
        );
        database.close();
        assert.deepEqual(
          known.filter((uid) => !uids.has(uid)),
          [],
        );
      }
    });
  });

  test("a restored server serves", async () => {
    const data = join(folder, String(BACKUPS - 1));
    const restored = await TestServer.start({ sameStoreAs: { storeFlags: ["--data", data] } });
    try {
      const api = new Http(restored.url, await restored.token());
      assert.equal((await api.get(`/iam/v2beta1/groups/${org}`)).status, 200);
      assert.equal((await api.post(`/iam/v2beta1/groups/${org}`, { name: "new" })).status, 200);
    } finally {
      await restored.stop();
    }
  });

  test("the lock of the directory keeps others out, and ends with a kill", async () => {
    for (let round = 0; round < KILLS; round++) {
      await assert.rejects(
        TestServer.start({ sameStoreAs: server, ownProcess: true }),
        /ended at start with 1:[\s\S]*another server uses it \(process \d+ on/,
      );
      await server.kill();
      await server.restart();
      assert.equal((await operator.get(`/iam/v2beta1/groups/${org}`)).status, 200);
    }
  });
});
