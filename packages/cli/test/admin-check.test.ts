import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import {
  closeSync,
  cpSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { after, before, describe, test } from "node:test";
import { Http } from "../../server/test/support/client/http.ts";
import { rawRows } from "../../server/test/support/server/direct-store.ts";
import { scratchFolder } from "../../server/test/support/server/scratch-folder.ts";
import { STORES, TestServer } from "../../server/test/support/server/test-server.ts";
import { wharf } from "./support/command.ts";

async function execute(server: TestServer, sql: string): Promise<void> {
  if (server.storeFlags.includes("--database-url")) return void (await rawRows(server, sql));
  const database = new DatabaseSync(join(server.data, "wharf.db"));
  database.exec(sql);
  database.close();
}

const check = (...words: string[]) => wharf(["admin", "check", ...words]);

for (const store of STORES) {
  describe(`wharf admin check of our own rules, on ${store}`, () => {
    let server: TestServer;
    let org: string;
    before(async () => {
      server = await TestServer.start({ store });
      const api = new Http(server.url, await server.token());
      org = (await api.post("/iam/v2beta1/groups", { name: "acme" })).body.uid;
      const { uid: folder } = (await api.post(`/iam/v2beta1/groups/${org}`, { name: "a" })).body;
      await api.post(`/iam/v2beta1/groups/${folder}`, { name: "b" });
      await api.post(`/iam/v2beta1/roles/${org}`, { name: "r", capabilities: ["groups.list"] });
    });
    after(() => server.stop());

    test("accepts what a running server has written", async () => {
      const { code, stdout, stderr } = await check(...server.storeFlags);
      assert.deepEqual([code, stdout, stderr], [0, "ok\n", ""]);
      const json = await check("-o", "json", ...server.storeFlags);
      const orphans = { files: 0, bytes: 0 };
      assert.deepEqual(JSON.parse(json.stdout), { store, ok: true, problems: [], orphans });
    });

    test("names blobs whose file is missing, shorter, or damaged, and counts files without a row", async () => {
      const headers = { authorization: `Bearer ${await server.token()}` };
      const paths: string[] = [];
      for (const content of ["kept", "damaged", "shortened", "missing"]) {
        const hex = createHash("sha256").update(content).digest("hex");
        const url = `${server.url}/v2/${org}/app/blobs/uploads/?digest=sha256:${hex}`;
        assert.equal((await fetch(url, { method: "POST", headers, body: content })).status, 201);
        paths.push(join(server.data, "registry/blobs/sha256", hex.slice(0, 2), hex));
      }
      const [kept = "", damaged = "", shortened = "", missing = ""] = paths;
      const flags = [...server.storeFlags, "--data", server.data];
      assert.equal((await check("--blobs", ...flags)).code, 0);
      const files = new Map([damaged, shortened, missing].map((at) => [at, readFileSync(at)]));
      writeFileSync(damaged, "Damaged");
      writeFileSync(shortened, "short");
      rmSync(missing);
      const orphan = `${dirname(kept)}/${"0".repeat(64)}`;
      writeFileSync(orphan, "no row");
      utimesSync(orphan, 0, 0);
      const found = async (...words: string[]) => {
        const { code, stdout } = await check("-o", "json", ...words, ...flags);
        assert.equal(code, 1);
        const { problems, orphans } = JSON.parse(stdout);
        assert.deepEqual(orphans, { files: 1, bytes: 6 });
        return problems.map(({ name, problem }: Record<string, string>) => [name, problem]).sort();
      };
      const digestOf = (at: string) => `sha256:${basename(at)}`;
      const obvious = [
        [digestOf(shortened), "its file has 5 bytes instead of 9"],
        [digestOf(missing), "its file is missing"],
      ];
      assert.deepEqual(await found(), [...obvious].sort());
      const hashed = [...obvious, [digestOf(damaged), "its file has another digest"]];
      assert.deepEqual(await found("--blobs"), hashed.sort());
      // Damage that the server's scrub has found is reported without hashing.
      const mark = (time: number) =>
        execute(server, `UPDATE blobs SET damaged = ${time} WHERE digest = '${digestOf(damaged)}'`);
      await mark(1_700_000_000_000);
      const marked = "the server found its content damaged at 2023-11-14T22:13:20.000Z";
      assert.deepEqual(await found(), [...obvious, [digestOf(damaged), marked]].sort());
      await mark(0);
      const elsewhere = await check(...flags, "--registry-storage", join(server.data, "none"));
      assert.match(elsewhere.stdout, /is not the folder of this store/);
      for (const [at, content] of files) writeFileSync(at, content);
      rmSync(orphan);
      assert.equal((await check("--blobs", ...flags)).code, 0);
    });

    test("names counts, parents and keys that contradict the rows", async () => {
      const update = "UPDATE counts SET descendants = descendants + 1, children = children + 2";
      await execute(server, `${update} WHERE uid = '${org}' AND kind = 'groups'`);
      await execute(server, `UPDATE roles SET parent = '${"0".repeat(40)}' WHERE name = 'r'`);
      await execute(server, "DELETE FROM secrets WHERE owner = 'signing-keys'");
      const { code, stdout, stderr } = await check("-o", "json", ...server.storeFlags);
      assert.equal(code, 1);
      const { ok, problems } = JSON.parse(stdout);
      assert.equal(ok, false);
      const texts = problems.map(
        ({ kind, name, problem }: Record<string, string>) => `${kind} ${name}: ${problem}`,
      );
      const found = (text: string) => assert.ok(texts.includes(text), texts.join("\n"));
      found(`data counts: 1 groups in ${org}, but 3 counted`);
      found(`data counts: 4 groups below ${org}, but 3 counted`);
      assert.ok(texts.some((text: string) => /^data roles: the parent of \S+ does not/.test(text)));
      assert.ok(texts.some((text: string) => /^data signing_keys: the private key of/.test(text)));
      assert.match(JSON.parse(stderr).error.message, /^the store has \d+ problems$/);
    });
  });
}

describe("wharf admin check of a SQLite file", () => {
  const folder = scratchFolder("wharf-check-");
  let original: string;
  before(async () => {
    const server = await TestServer.start();
    const api = new Http(server.url, await server.token());
    const { uid } = (await api.post("/iam/v2beta1/groups", { name: "acme" })).body;
    for (let n = 0; n < 50; n++) await api.post(`/iam/v2beta1/groups/${uid}`, { name: `g${n}` });
    await server.terminate();
    original = server.data;
  });
  after(() => {
    for (const path of [folder, original]) rmSync(path, { recursive: true });
  });
  /** A copy of the store, changed by a function, and the words that name it. */
  const copy = (name: string, change: (database: string) => void) => {
    const data = join(folder, name);
    cpSync(original, data, { recursive: true });
    change(join(data, "wharf.db"));
    return ["--data", data];
  };

  test("names a damaged table, and does not repair it", async () => {
    const words = copy("table", (path) => damage(path, "groups"));
    const { code, stdout, stderr } = await check("--repair", ...words);
    assert.equal(code, 1);
    assert.match(stdout, /^KIND +NAME +PROBLEM$/m);
    assert.match(stdout, /^table +groups +\S/m);
    assert.match(stderr, /^wharf: the store has /);
    assert.match(stderr, /restore a backup with `wharf admin restore`/);
  });

  test("names a damaged index, and rebuilds it", async () => {
    const words = copy("index", (path) => {
      const database = new DatabaseSync(path);
      // The index of the schema no longer has the rows of the table.
      database.enableDefensive(false);
      database.exec("PRAGMA writable_schema = ON");
      const sql = "SELECT sql FROM sqlite_schema WHERE name = 'groups_by_name'";
      const { sql: definition } = database.prepare(sql).get() as { sql: string };
      const update = "UPDATE sqlite_schema SET sql = ? WHERE name = 'groups_by_name'";
      database.prepare(update).run(`${definition} WHERE name <> 'g7'`);
      database.exec("PRAGMA writable_schema = RESET");
      database.exec("REINDEX groups_by_name");
      database.exec("PRAGMA writable_schema = ON");
      database.prepare(update).run(definition);
      database.close();
    });
    const { code, stdout, stderr } = await check(...words);
    assert.equal(code, 1);
    assert.match(stdout, /^index +groups_by_name +wrong # of entries in index groups_by_name$/m);
    assert.doesNotMatch(stdout, /^(table|data|database)/m);
    assert.match(stderr, /run this with --repair/);
    const repaired = await check("--repair", ...words);
    assert.deepEqual(
      [repaired.code, repaired.stdout, repaired.stderr],
      [0, "ok\n", "wharf: rebuilt groups_by_name\n"],
    );
  });

  test("names pages of an index that cannot be read", async () => {
    const words = copy("index-page", (path) => damage(path, "groups_by_name"));
    const { code, stdout } = await check("-o", "json", ...words);
    assert.equal(code, 1);
    const { problems } = JSON.parse(stdout);
    assert.ok(
      problems.some(({ name }: { name: string }) => name === "groups_by_name"),
      stdout,
    );
    assert.ok(
      problems.every(({ kind }: { kind: string }) => kind === "index"),
      stdout,
    );
    const { code: again, stderr } = await check("--repair", ...words);
    assert.equal(again, 1);
    assert.match(stderr, /restore a backup with `wharf admin restore`/);
  });

  test("reports a file that is no database, or not ours, and a mistyped directory", async () => {
    const garbage = copy("garbage", (path) => writeFileSync(path, "x".repeat(10_000)));
    const none = await check(...garbage);
    assert.equal(none.code, 1);
    assert.match(none.stdout, /^database +wharf\.db +file is not a database$/m);
    const empty = copy("empty", (path) => writeFileSync(path, ""));
    assert.match((await check(...empty)).stdout, /it has no tables of wharf/);
    const mistyped = await check("--data", join(folder, "mistyped"));
    assert.equal(mistyped.code, 2);
    assert.match(mistyped.stderr, /there is no store in/);
    assert.ok(!readdirSync(folder).includes("mistyped"));
    assert.match((await check("-o", "csv", ...empty)).stderr, /--output must be table or json/);
  });
});

/** Overwrites the root page of a table or index. */
function damage(path: string, name: string): void {
  const database = new DatabaseSync(path);
  const sql = "SELECT rootpage FROM sqlite_schema WHERE name = ?";
  const { rootpage } = database.prepare(sql).get(name) as { rootpage: number };
  database.close();
  const file = openSync(path, "r+");
  writeSync(file, Buffer.alloc(4096, 0xff), 0, 4096, (rootpage - 1) * 4096);
  closeSync(file);
}
