import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import {
  closeSync,
  copyFileSync,
  existsSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { after, before, describe, test } from "node:test";
import { Http } from "../../server/test/support/client/http.ts";
import { scratchFolder } from "../../server/test/support/server/scratch-folder.ts";
import { TestServer } from "../../server/test/support/server/test-server.ts";
import { wharf } from "./support/command.ts";

const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8);

describe("wharf admin backup and restore", () => {
  let server: TestServer;
  let operator: Http;
  let org: string;
  const folder = scratchFolder("wharf-backup-");
  const at = (name: string) => join(folder, name);
  before(async () => {
    server = await TestServer.start();
    operator = new Http(server.url, await server.token());
    org = (await operator.post("/iam/v2beta1/groups", { name: "acme" })).body.uid;
  });
  after(async () => {
    await server.stop();
    rmSync(folder, { recursive: true });
  });

  const admin = (...words: string[]) => wharf(["admin", ...words]);
  const refused = async (why: RegExp, ...words: string[]) => {
    const { code, stdout, stderr } = await admin(...words);
    assert.notEqual(code, 0);
    assert.equal(stdout, "");
    assert.match(stderr, why);
  };

  test("a backup during writes is the state of one moment, for this user only", async () => {
    let writing = true;
    const writers = Array.from({ length: 4 }, async (_, writer) => {
      for (let n = 0; writing; n++) {
        const { status } = await operator.post(`/iam/v2beta1/groups/${org}`, {
          name: `g${writer}-${n}`,
        });
        assert.equal(status, 200);
      }
    });
    const words = ["--data", server.data, "--secret-key-copy", at("key")];
    const { code, stderr } = await admin("backup", at("first.db"), ...words);
    writing = false;
    await Promise.all(writers);
    assert.equal(code, 0, stderr);
    assert.match(stderr, /^wharf: wrote and checked \S+first\.db$/m);
    assert.match(stderr, /^wharf: next: keep \S+key in another place than the backup/m);
    assert.deepEqual([at("first.db"), at("key")].map(modeOf), ["600", "600"]);
    assert.deepEqual(readdirSync(folder).sort(), ["first.db", "key"], "and leaves nothing else");
    const copy = new DatabaseSync(at("first.db"), { readOnly: true });
    const { rows } = copy
      .prepare("SELECT count(*) AS rows FROM groups WHERE parent = ?")
      .get(org) as { rows: number };
    const counted = copy
      .prepare("SELECT children FROM counts WHERE uid = ? AND kind = 'groups'")
      .get(org);
    copy.close();
    assert.equal(counted?.children ?? 0, rows);
  });

  test("the restored server serves what was backed up", async () => {
    const data = at("restored");
    const words = ["--data", data, "--secret-key-copy", at("key")];
    const { code, stderr } = await admin("restore", at("first.db"), ...words);
    assert.equal(code, 0, stderr);
    assert.match(stderr, /^wharf: checked and restored \S+first\.db$/m);
    assert.equal(modeOf(data), "700");
    assert.deepEqual(
      ["wharf.db", "secret.key"].map((file) => modeOf(join(data, file))),
      ["600", "600"],
    );
    const restored = await TestServer.start({ sameStoreAs: { storeFlags: ["--data", data] } });
    try {
      const api = new Http(restored.url, await restored.token());
      assert.equal((await api.get(`/iam/v2beta1/groups/${org}`)).body.name, "acme");
    } finally {
      await restored.stop();
    }
  });

  test("without a copy of the key, both name the file that is needed", async () => {
    const { stderr } = await admin("backup", at("second.db"), "--data", server.data);
    const key = join(server.data, "secret.key");
    assert.ok(stderr.includes(`cannot be used without it: keep a copy of ${key} in`), stderr);
    assert.ok(!readFileSync(at("second.db")).includes(readFileSync(key)));
    const restored = await admin("restore", at("second.db"), "--data", at("keyless"));
    assert.equal(restored.code, 0, restored.stderr);
    assert.match(
      restored.stderr,
      /next: put the secret key of this backup to \S+keyless\/secret.key/,
    );
  });

  test("a backup overwrites nothing and creates no store", async () => {
    const data = ["--data", server.data];
    await refused(/first\.db exists: choose another name/, "backup", at("first.db"), ...data);
    const overKey = ["--secret-key-copy", at("key"), ...data];
    await refused(/key cannot be written: EEXIST/, "backup", at("third.db"), ...overKey);
    await refused(
      /none\/third\.db\.partial cannot be written/,
      "backup",
      at("none/third.db"),
      ...data,
    );
    await refused(/there is no store in/, "backup", at("third.db"), "--data", at("none"));
    await refused(/FILE is required/, "backup", ...data);
    assert.ok(!existsSync(at("third.db")) && !existsSync(at("none")));
  });

  test("a restore replaces no database, whether its server runs or not", async () => {
    const words = ["restore", at("first.db"), "--data"];
    await refused(/another server uses it \(process \d+ on/, ...words, server.data);
    await refused(
      /keyless\/wharf\.db exists: restore into another directory/,
      ...words,
      at("keyless"),
    );
  });

  test("a restore rejects another key, and what is damaged or no backup", async () => {
    const into = ["--data", at("rejected")];
    const file = at("first.db");
    writeFileSync(at("other.key"), randomBytes(32));
    const other = ["--secret-key-copy", at("other.key")];
    await refused(
      /other\.key is not the secret key of \S+first\.db/,
      "restore",
      file,
      ...other,
      ...into,
    );
    await refused(/missing\.db is missing/, "restore", at("missing.db"), ...into);
    writeFileSync(at("text.db"), "this is not a database, whatever its name says".repeat(100));
    await refused(/is not a database/, "restore", at("text.db"), ...into);
    new DatabaseSync(at("foreign.db")).exec("CREATE TABLE things (name TEXT)");
    await refused(/foreign\.db is not a database of wharf/, "restore", at("foreign.db"), ...into);
    copyFileSync(file, at("damaged.db"));
    damage(at("damaged.db"), "groups");
    await refused(/damaged\.db is damaged: /, "restore", at("damaged.db"), ...into);
    writeFileSync(at("damaged.db-wal"), "log");
    await refused(
      /damaged\.db-wal exists: this is a copy of a running/,
      "restore",
      at("damaged.db"),
      ...into,
    );
    assert.deepEqual(readdirSync(at("rejected")), ["server.lock"]);
  });

  test("PostgreSQL is left to its own tools", async () => {
    const url = ["--database-url", "postgres://wharf@127.0.0.1:1/none"];
    await refused(
      /pg_dump --format custom --file \S+fourth\.db/,
      "backup",
      at("fourth.db"),
      ...url,
    );
    await refused(/pg_restore --clean --if-exists/, "restore", at("fourth.db"), ...url);
  });
});

/** Overwrites the root page of a table. */
function damage(path: string, table: string): void {
  const database = new DatabaseSync(path);
  const sql = "SELECT rootpage FROM sqlite_schema WHERE name = ?";
  const { rootpage } = database.prepare(sql).get(table) as { rootpage: number };
  database.close();
  const file = openSync(path, "r+");
  writeSync(file, Buffer.alloc(4096, 0xff), 0, 4096, (rootpage - 1) * 4096);
  closeSync(file);
}
