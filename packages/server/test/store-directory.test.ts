import assert from "node:assert/strict";
import { rmSync, truncateSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, type TestContext, test } from "node:test";
import { startServer } from "../src/app/server.ts";
import type { Settings } from "../src/config/settings.ts";
import { scratchFolder } from "./support/server/scratch-folder.ts";
import { TestServer } from "./support/server/test-server.ts";
import { testSettings } from "./support/server/test-settings.ts";

async function settingsOf(data: string): Promise<Settings> {
  const flags = ["--listen", "127.0.0.1:0", "--log-level", "silent"];
  return testSettings([...flags, "--data", data]);
}

describe("a data directory", () => {
  test("has one server at a time, and admin commands beside it", async (t) => {
    const server = await TestServer.start();
    t.after(() => server.stop());
    const settings = await settingsOf(server.data);
    await assert.rejects(startServer(settings), ({ message }: Error) => {
      const holder = `process ${process.pid} on ${hostname()}, since 20`;
      const start = `the data directory ${server.data} cannot be used: another server uses it`;
      assert.ok(message.startsWith(`${start} (${holder}`), message);
      assert.match(message, /; stop that one, or choose another directory with --data$/);
      return true;
    });
    assert.match(await server.token(), /^ey/);
    await server.terminate();
    await (await startServer(settings)).stop();
  });

  test("is free after a start that failed", async (t) => {
    const data = scratchFolder("wharf-directory-");
    t.after(() => rmSync(data, { recursive: true }));
    const settings = await settingsOf(data);
    const failing = { ...settings, listen: { host: "192.0.2.1", port: 1 } };
    await assert.rejects(startServer(failing), /cannot listen at/);
    await (await startServer(settings)).stop();
  });
});

describe("a server whose database was lost", () => {
  const stopped = async (t: TestContext) => {
    const server = await TestServer.start();
    await server.terminate();
    t.after(() => rmSync(server.data, { recursive: true }));
    return { data: server.data, settings: await settingsOf(server.data) };
  };
  const lost = /wharf\.db is missing or empty, but \S+secret\.key exists, so the database was lost/;

  test("does not start with a new one in its place", async (t) => {
    const { data, settings } = await stopped(t);
    const database = join(data, "wharf.db");
    truncateSync(database);
    writeFileSync(`${database}-wal`, "what may still be recovered");
    await assert.rejects(startServer(settings), lost);
    rmSync(database);
    await assert.rejects(startServer(settings), lost);
    rmSync(`${database}-wal`);
    new DatabaseSync(database).exec("PRAGMA user_version = 1");
    await assert.rejects(startServer(settings), lost);
  });

  test("starts a new installation once the key is removed", async (t) => {
    const { data, settings } = await stopped(t);
    rmSync(join(data, "wharf.db"));
    rmSync(join(data, "secret.key"));
    await (await startServer(settings)).stop();
  });
});
