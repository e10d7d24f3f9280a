/** Rows and files of the registry: the folder that replicas share, and what crashes leave in it. */
import assert from "node:assert/strict";
import { createHash, randomUUID } from "node:crypto";
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { after, before, describe, test } from "node:test";
import { UploadCleanup } from "../src/registry/serve/upload-cleanup.ts";
import { DiskStorage } from "../src/registry/storage/disk-storage.ts";
import { readFolderId } from "../src/registry/storage/folder-id.ts";
import { Http } from "./support/client/http.ts";
import { DirectStore } from "./support/server/direct-store.ts";
import { scratchFolder } from "./support/server/scratch-folder.ts";
import { TestServer } from "./support/server/test-server.ts";
import { until } from "./support/until.ts";

const DAY_MS = 24 * 3_600_000;

const digestOf = (content: string) =>
  `sha256:${createHash("sha256").update(content).digest("hex")}`;

function pathOf(folder: string, content: string): string {
  const hex = digestOf(content).slice(7);
  return join(folder, "blobs", "sha256", hex.slice(0, 2), hex);
}

function age(path: string): void {
  const time = new Date(Date.now() - 2 * DAY_MS);
  utimesSync(path, time, time);
}

describe("the folder of the registry", () => {
  let server: TestServer;
  let direct: DirectStore;
  let storage: DiskStorage;
  let folder: string;
  let org: string;
  before(async () => {
    server = await TestServer.start();
    folder = join(server.data, "registry");
    const api = new Http(server.url, await server.token());
    org = (await api.post("/iam/v2beta1/groups", { name: "acme" })).body.uid;
    direct = await DirectStore.open(server);
    storage = new DiskStorage(folder);
  });
  after(async () => {
    await storage.close();
    await direct.close();
    await server.stop();
  });

  async function push(content: string): Promise<void> {
    const url = `${server.url}/v2/${org}/app/blobs/uploads/?digest=${digestOf(content)}`;
    const headers = { authorization: `Bearer ${await server.token()}` };
    assert.equal((await fetch(url, { method: "POST", headers, body: content })).status, 201);
  }

  const log = { warn() {}, error() {} } as never;
  const clean = (other: DiskStorage = storage) => new UploadCleanup(direct.store, other, log).run();

  test("is cleaned of parts that no upload lists, once they are old", async () => {
    const [old, fresh] = [randomUUID(), randomUUID()].map((name) => join(folder, "uploads", name));
    for (const path of [old, fresh]) writeFileSync(path as string, "left by a crash");
    age(old as string);
    const url = `${server.url}/v2/${org}/app/blobs/uploads/`;
    const headers = { authorization: `Bearer ${await server.token()}` };
    const started = await fetch(url, { method: "POST", headers });
    const location = new URL(started.headers.get("location") as string, server.url);
    await fetch(location, { method: "PATCH", headers, body: "half" });
    const names = readdirSync(join(folder, "uploads"));
    assert.equal(names.length, 3);
    for (const name of names) if (!fresh?.endsWith(name)) age(join(folder, "uploads", name));
    await clean();
    assert.ok(!existsSync(old as string) && existsSync(fresh as string));
    const digest = digestOf("half whole");
    const done = await fetch(`${location}?digest=${digest}`, {
      method: "PUT",
      headers,
      body: " whole",
    });
    assert.equal(done.status, 201);
  });

  test("is cleaned of old blobs without a row, and of no others", async () => {
    await push("kept");
    for (const content of ["orphan", "fresh"]) {
      mkdirSync(dirname(pathOf(folder, content)), { recursive: true });
      writeFileSync(pathOf(folder, content), content);
    }
    age(pathOf(folder, "kept"));
    age(pathOf(folder, "orphan"));
    await clean();
    const exists = (content: string) => existsSync(pathOf(folder, content));
    assert.deepEqual(["kept", "orphan", "fresh"].map(exists), [true, false, true]);
  });

  test("is cleaned in shares, which together are everything", async () => {
    const contents = Array.from({ length: 8 }, (_, at) => `orphan of a share ${at}`);
    for (const content of contents) {
      mkdirSync(dirname(pathOf(folder, content)), { recursive: true });
      writeFileSync(pathOf(folder, content), content);
      age(pathOf(folder, content));
    }
    const cleanup = new UploadCleanup(direct.store, storage, log);
    for (const part of [0, 1]) {
      await cleanup.run(Date.now(), { part, of: 2 });
      const remaining = contents.filter((content) => existsSync(pathOf(folder, content)));
      const isLater = (content: string) =>
        Number.parseInt(digestOf(content).slice(7, 9), 16) % 2 > part;
      assert.deepEqual(remaining, contents.filter(isLater));
    }
  });

  test("keeps a file that a push stores while the old one is removed", async () => {
    mkdirSync(dirname(pathOf(folder, "raced")), { recursive: true });
    writeFileSync(pathOf(folder, "raced"), "raced");
    age(pathOf(folder, "raced"));
    // Between the look at rows and files, and the removal.
    let isPushed = false;
    const rows = {
      folder: async () => readFolderId(folder),
      parts: async () => new Set<string>(),
      blobs: async (digests: readonly string[]) => {
        if (digests.includes(digestOf("raced")) && !isPushed) {
          isPushed = true;
          const part = await storage.writePart(once("raced"));
          age(join(folder, "uploads", part.name));
          assert.ok(await storage.store([part], digestOf("raced")));
        }
        return new Set<string>();
      },
    };
    await storage.removeGarbage(Date.now() - DAY_MS, rows);
    assert.ok(isPushed && existsSync(pathOf(folder, "raced")));
  });

  test("gets back what a crash during the removal has moved away", async () => {
    await push("moved");
    age(pathOf(folder, "moved"));
    const name = `${digestOf("moved").replace(":", "-")}.orphan`;
    renameSync(pathOf(folder, "moved"), join(folder, "uploads", name));
    await clean();
    assert.ok(existsSync(pathOf(folder, "moved")));
    assert.ok(!readdirSync(join(folder, "uploads")).includes(name));
  });

  test("has its traffic counted", async () => {
    const counted = async (direction: string) => {
      const text = await (await fetch(`${server.url}/metrics`)).text();
      const line = new RegExp(
        `^wharf_registry_bytes_total\\{direction="${direction}"\\} (\\d+)$`,
        "m",
      );
      return Number(line.exec(text)?.[1] ?? 0);
    };
    const received = await counted("in");
    await push("ten  bytes");
    assert.equal(await counted("in"), received + 10);
    const url = `${server.url}/v2/${org}/app/blobs/${digestOf("ten  bytes")}`;
    const headers = { authorization: `Bearer ${await server.token()}` };
    assert.equal(await (await fetch(url, { headers })).text(), "ten  bytes");
    await until(async () => (await counted("out")) === 10);
    const text = await (await fetch(`${server.url}/metrics`)).text();
    for (const operation of ["startUpload", "continueUpload", "finishUpload", "getBlob"]) {
      const series = `wharf_request_duration_seconds_count{method="/v2/${operation}"}`;
      assert.ok(text.includes(series), operation);
    }
  });

  test("is not cleaned if it is not the one of the store", async () => {
    const other = scratchFolder("wharf-other-");
    cpSync(folder, other, { recursive: true });
    writeFileSync(join(other, "folder-id"), randomUUID());
    writeFileSync(pathOf(other, "kept"), "kept");
    const foreign = new DiskStorage(other);
    await assert.rejects(clean(foreign), /is not the folder that replicas share/);
    await foreign.close();
  });

  test("must have the content: another one stops the start, and so does that of another store", async () => {
    await push("expected");
    await server.terminate();
    const away = `${folder}-away`;
    renameSync(folder, away);
    await assert.rejects(server.restart(), /is not the folder with the content of the registry/);
    assert.ok(!existsSync(join(folder, "folder-id")), "another try has the same answer");
    rmSync(folder, { recursive: true, force: true });
    renameSync(away, folder);
    await server.restart();
    const stranger = TestServer.start({ flags: ["--registry-storage", folder] });
    await assert.rejects(stranger, /has the content of another installation's registry/);
  });
});

async function* once(content: string): AsyncGenerator<Buffer> {
  yield Buffer.from(content);
}
