/** Backups and restores that fail, or are killed, and what they leave. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { after, before, describe, test } from "node:test";
import { backUp } from "../src/app/backup/back-up.ts";
import { addBackup } from "../src/app/backup/backup-directory.ts";
import { restore } from "../src/app/backup/restore.ts";
import type { Settings } from "../src/config/settings.ts";
import { createIdentity } from "../src/lib/age/age.ts";
import { openServerStore } from "../src/store/db/open.ts";
import { ServerLock } from "../src/store/db/sqlite/server-lock.ts";
import { scratchFolder } from "./support/server/scratch-folder.ts";
import { TestServer } from "./support/server/test-server.ts";
import { testSettings } from "./support/server/test-settings.ts";

const { recipient, secret } = await createIdentity();
const lock = { recipients: [recipient] };
const unlock = { identities: [secret] };

describe("a directory of backups", () => {
  let server: TestServer;
  let settings: Settings;
  before(async () => {
    server = await TestServer.start();
    settings = await testSettings(server.storeFlags);
  });
  after(() => server.stop());

  const add = (backupDir: string, backupKeep: number) =>
    addBackup(settings, { backupDir, backupKeep }, lock);

  test("keeps the new one, even if a clock was ahead when the others were made", async () => {
    const folder = scratchFolder("wharf-keep-");
    const ahead = [1, 2, 3].map((day) => `wharf-2999-01-0${day}T020000.000Z.backup`);
    for (const name of ahead) writeFileSync(join(folder, name), "");
    const added: string[] = [];
    for (let round = 1; round <= 4; round++) {
      added.push((await add(folder, 3)).file);
      const kept = readdirSync(folder).map((name) => join(folder, name));
      const expected = [...ahead.map((name) => join(folder, name)), ...added].slice(-3);
      assert.deepEqual(kept.sort(), expected.sort(), `round ${round}`);
    }
    await add(folder, 1);
    assert.equal(readdirSync(folder).length, 1);
  });

  test("loses what killed backups have left, but nothing that is being written", async () => {
    const folder = scratchFolder("wharf-partial-");
    const [old, recent] = [1, 2].map((day) => `wharf-2026-01-0${day}T020000.000Z.backup.partial`);
    const foreign = "of-somebody-else.partial";
    for (const name of [old, recent, foreign]) writeFileSync(join(folder, name as string), "");
    const longAgo = Date.now() / 1000 - 2 * 86_400;
    for (const name of [old, foreign]) utimesSync(join(folder, name as string), longAgo, longAgo);
    await add(folder, 7);
    const partials = readdirSync(folder).filter((name) => name.endsWith(".partial"));
    assert.deepEqual(partials.sort(), [foreign, recent]);
  });

  test("a restore that fails leaves nothing", async () => {
    const folder = scratchFolder("wharf-damaged-");
    const { file } = await add(folder, 1);
    const target = await testSettings(["--data", join(folder, "data")]);
    const keys = { identities: [(await createIdentity()).secret] };
    await assert.rejects(restore(target, { file, unlock: keys }), /cannot be restored/);
    writeFileSync(join(folder, "cut"), "age-encryption.org/v1");
    await assert.rejects(restore(target, { file: join(folder, "cut"), unlock }));
    assert.ok(!existsSync(target.data) || readdirSync(target.data).length === 0);
  });
});

test("a backup to a file removes what killed ones have left there, and nothing else", async (t) => {
  const server = await TestServer.start();
  t.after(() => server.stop());
  const folder = scratchFolder("wharf-partial-");
  const at = (name: string) => join(folder, name);
  const [killed, foreign] = ["acme-2026-01-01.backup.partial", "photos-2026-01-01.zip.partial"];
  const complete = "acme-2025-12-31.backup";
  const longAgo = Date.now() / 1000 - 2 * 86_400;
  for (const name of [killed, foreign, complete]) {
    writeFileSync(at(name), "");
    utimesSync(at(name), longAgo, longAgo);
  }
  writeFileSync(at("acme-2026-01-02.backup.partial"), "is being written");
  const file = at("acme-2026-01-03.backup");
  await backUp(await testSettings(server.storeFlags), { file, lock });
  assert.deepEqual(readdirSync(folder).sort(), [
    complete,
    "acme-2026-01-02.backup.partial",
    "acme-2026-01-03.backup",
    foreign,
  ]);
});

/** Starts a program that is in the middle of its work when it writes a line, and ends it by a signal. */
async function endInside(program: string, signal: "SIGTERM" | "SIGINT", inside: () => void) {
  const words = ["--input-type=module", "-e", program];
  const child = spawn(process.execPath, words, { stdio: ["ignore", "pipe", "inherit"] });
  await once(createInterface({ input: child.stdout }), "line");
  inside();
  child.kill(signal);
  const [code] = await once(child, "exit");
  assert.equal(code, signal === "SIGTERM" ? 143 : 130);
}

test("a file that is being written is removed if a signal ends the process", async () => {
  const path = join(scratchFolder("wharf-signal-"), "file");
  const source = import.meta.resolve("../src/app/backup/private-file.ts");
  const program = `
    import { writePrivately } from ${JSON.stringify(source)};
    setInterval(() => {}, 1_000);
    await writePrivately(${JSON.stringify(path)}, () => {
      console.log("writing");
      return new Promise(() => {});
    });`;
  for (const signal of ["SIGTERM", "SIGINT"] as const) {
    await endInside(program, signal, () => assert.ok(existsSync(`${path}.partial`)));
    assert.ok(!existsSync(`${path}.partial`), signal);
  }
});

test("a restore that a signal ends removes its lock, unless that was there before", async () => {
  const data = scratchFolder("wharf-signal-");
  const source = import.meta.resolve("../src/app/backup/store-target.ts");
  const location = JSON.stringify({ data, databaseUrl: "", secretKeyFile: "" });
  const program = `
    import { buildStore } from ${JSON.stringify(source)};
    setInterval(() => {}, 1_000);
    await buildStore(${location}, () => {
      console.log("writing");
      return new Promise(() => {});
    }, () => {});`;
  const isLocked = () => assert.ok(existsSync(join(data, "server.lock")));
  await endInside(program, "SIGTERM", isLocked);
  assert.deepEqual(readdirSync(data), []);
  ServerLock.acquire(data).release();
  await endInside(program, "SIGINT", isLocked);
  assert.deepEqual(readdirSync(data), ["server.lock"]);
});

test("no new installation begins beside an interrupted restore", async () => {
  const data = scratchFolder("wharf-interrupted-");
  const partial = join(data, "wharf.db.partial");
  writeFileSync(partial, "what a killed restore has written");
  const settings = await testSettings(["--data", data]);
  const open = () => openServerStore(settings, [], { committed() {} });
  await assert.rejects(open(), /interrupted restore has left: repeat `wharf admin restore`/);
  assert.deepEqual(readdirSync(data), ["wharf.db.partial"], "and no lock");
  rmSync(partial);
  await (await open()).close();
});

test("a restore that is killed at any statement is never taken for a new installation", async () => {
  const source = import.meta.resolve("../src/app/backup/store-target.ts");
  const killed = async (data: string, statement: number) => {
    const program = `
      import { DatabaseSync } from "node:sqlite";
      import { buildStore } from ${JSON.stringify(source)};
      const { exec } = DatabaseSync.prototype;
      let statements = 0;
      DatabaseSync.prototype.exec = function (sql) {
        if (++statements === ${statement}) process.kill(process.pid, "SIGKILL");
        return exec.call(this, sql);
      };
      const location = { data: ${JSON.stringify(data)}, databaseUrl: "", secretKeyFile: "" };
      const fill = (target) => target.script(["CREATE TABLE t (a)", "INSERT INTO t VALUES (1)"]);
      await buildStore(location, fill, () => {});`;
    const child = spawn(process.execPath, ["--input-type=module", "-e", program]);
    const [, signal] = await once(child, "exit");
    return signal === "SIGKILL";
  };
  let statement = 1;
  for (; statement < 100; statement++) {
    const data = join(scratchFolder("wharf-killed-"), "data");
    if (!(await killed(data, statement))) break;
    const settings = await testSettings(["--data", data]);
    const open = openServerStore(settings, [], { committed() {} });
    await assert.rejects(open, /interrupted restore has left/, `statement ${statement}`);
  }
  assert.ok(statement > 6, "those of the lock, and those of the content");
});
