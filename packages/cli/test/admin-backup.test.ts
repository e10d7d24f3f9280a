import assert from "node:assert/strict";
import { hash, randomBytes } from "node:crypto";
import {
  cpSync,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { after, before, describe, test } from "node:test";
import { Http } from "../../server/test/support/client/http.ts";
import { emptyDatabase } from "../../server/test/support/server/postgres.ts";
import { scratchFolder } from "../../server/test/support/server/scratch-folder.ts";
import { TestServer } from "../../server/test/support/server/test-server.ts";
import { wharf } from "./support/command.ts";

const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8);

describe("wharf admin backup, restore and migrate", () => {
  let server: TestServer;
  let operator: Http;
  let org: string;
  let recipient: string;
  const folder = scratchFolder("wharf-backup-");
  const at = (name: string) => join(folder, name);
  before(async () => {
    server = await TestServer.start();
    operator = new Http(server.url, await server.token());
    org = (await operator.post("/iam/v2beta1/groups", { name: "acme" })).body.uid;
    const digest = `sha256:${hash("sha256", "a layer")}`;
    const url = `${server.url}/v2/${org}/app/blobs/uploads/?digest=${digest}`;
    const headers = { authorization: `Bearer ${await server.token()}` };
    assert.equal((await fetch(url, { method: "POST", headers, body: "a layer" })).status, 201);
  });
  after(async () => {
    await server.stop();
    rmSync(folder, { recursive: true });
  });

  const admin = (...words: string[]) => wharf(["admin", ...words]);
  const done = async (...words: string[]) => {
    const { code, stdout, stderr } = await admin(...words);
    assert.equal(code, 0, stderr);
    return { stdout, stderr };
  };
  const rejected = async (why: RegExp, ...words: string[]) => {
    const { code, stdout, stderr } = await admin(...words);
    assert.notEqual(code, 0);
    assert.equal(stdout, "");
    assert.match(stderr, why);
  };

  test("a key pair for backups: the recipient is printed, the identity only for you", async () => {
    const { stdout } = await done("backup-keygen", at("identity"));
    recipient = stdout.trim();
    assert.match(recipient, /^age1[a-z0-9]{58}$/);
    assert.equal(modeOf(at("identity")), "600");
    assert.match(readFileSync(at("identity"), "utf8"), /^AGE-SECRET-KEY-1[A-Z0-9]{58}$/m);
    await rejected(/identity cannot be written: EEXIST/, "backup-keygen", at("identity"));
  });

  test("a backup during writes is the state of one moment, for this user only", async () => {
    let writing = true;
    const writers = Array.from({ length: 4 }, async (_, writer) => {
      for (let n = 0; writing; n++) {
        const group = { name: `g${writer}-${n}` };
        assert.equal((await operator.post(`/iam/v2beta1/groups/${org}`, group)).status, 200);
      }
    });
    const words = ["--data", server.data, "--backup-recipients", recipient];
    const { stderr } = await done("backup", at("first"), ...words).finally(() => {
      writing = false;
    });
    await Promise.all(writers);
    assert.match(stderr, /^wharf: wrote and checked \S+first: [\d,]+ rows$/m);
    assert.match(stderr, /^wharf: next: store the private key of a recipient separately/m);
    assert.equal(modeOf(at("first")), "600");
    assert.deepEqual(readdirSync(folder).sort(), ["first", "identity"], "and leaves nothing else");
    const key = readFileSync(join(server.data, "secret.key"));
    assert.ok(!readFileSync(at("first")).includes(key));
  });

  test("the restored server serves what was backed up", async () => {
    const data = at("restored");
    const words = ["--data", data, "--identity-file", at("identity")];
    const { stderr } = await done("restore", at("first"), ...words);
    assert.match(stderr, /^wharf: restored and compared [\d,]+ rows of \S+Z, written by wharf /m);
    assert.match(stderr, /^wharf: the secret key is in \S+restored\/secret\.key$/m);
    assert.match(stderr, /^wharf: the store expects 1 blob in the folder of the registry: /m);
    const refused = TestServer.start({ sameStoreAs: { storeFlags: ["--data", data] } });
    await assert.rejects(refused, /is not the folder with the content of the registry/);
    cpSync(join(server.data, "registry"), join(data, "registry"), { recursive: true });
    assert.equal((await done("check", "--blobs", "--data", data)).stdout, "ok\n");
    assert.equal(modeOf(data), "700");
    const files = ["wharf.db", "secret.key"].map((file) => modeOf(join(data, file)));
    assert.deepEqual(files, ["600", "600"]);
    const copy = new DatabaseSync(join(data, "wharf.db"), { readOnly: true });
    const count = (sql: string) => Object.values(copy.prepare(sql).get(org) ?? { none: 0 })[0];
    assert.equal(
      count("SELECT children FROM counts WHERE uid = ? AND kind = 'groups'"),
      count("SELECT count(*) FROM groups WHERE parent = ?"),
    );
    copy.close();
    const restored = await TestServer.start({ sameStoreAs: { storeFlags: ["--data", data] } });
    try {
      const api = new Http(restored.url, await restored.token());
      assert.equal((await api.get(`/iam/v2beta1/groups/${org}`)).body.name, "acme");
    } finally {
      await restored.stop();
    }
  });

  test("a passphrase works as well, and backups of a directory are counted", async () => {
    writeFileSync(at("passphrase"), "correct horse battery staple\nanything else");
    const secret = ["--backup-passphrase-file", at("passphrase")];
    const kept = ["--backup-dir", at("kept"), "--backup-keep", "1"];
    for (let round = 0; round < 2; round++)
      await done("backup", "--data", server.data, ...secret, ...kept);
    const [name = "", ...others] = readdirSync(at("kept"));
    assert.deepEqual(others, []);
    await done("restore", at(`kept/${name}`), "--data", at("by-passphrase"), ...secret);
    writeFileSync(at("wrong"), "another passphrase");
    await rejected(
      /cannot be restored: the passphrase is another one/,
      ...["restore", at(`kept/${name}`), "--data", at("wrong-data")],
      ...["--backup-passphrase-file", at("wrong")],
    );
    writeFileSync(at("short"), "short");
    const short = ["--backup-passphrase-file", at("short")];
    const words = ["backup", at("none"), "--data", server.data];
    await rejected(/needs at least 12 characters/, ...words, ...short);
  });

  test("a backup overwrites nothing, creates no store, and is never readable", async () => {
    const data = ["--data", server.data];
    const to = ["--backup-recipients", recipient];
    await rejected(/first exists: choose another name/, "backup", at("first"), ...data, ...to);
    await rejected(/third\.partial cannot be written/, "backup", at("none/third"), ...data, ...to);
    await rejected(/there is no store in/, "backup", at("third"), "--data", at("none"), ...to);
    await rejected(/FILE is required/, "backup", ...data, ...to);
    await rejected(/give --backup-recipients or --backup-p/, "backup", at("third"), ...data);
    await rejected(
      /must be recipients of age; got age1x/,
      "backup",
      "--backup-recipients",
      "age1x",
    );
    assert.ok(!existsSync(at("third")) && !existsSync(at("none")));
  });

  test("a restore replaces nothing, and rejects what is no backup", async () => {
    const identity = ["--identity-file", at("identity")];
    const restore = (file: string, data: string) => [
      "restore",
      at(file),
      "--data",
      data,
      ...identity,
    ];
    await rejected(/another server uses it \(process \d+ on/, ...restore("first", server.data));
    await rejected(
      /wharf\.db exists: choose another directory/,
      ...restore("first", at("restored")),
    );
    await rejected(/missing is missing/, ...restore("missing", at("other")));
    await rejected(
      /identity cannot be restored: it is not a file/,
      ...restore("identity", at("other")),
    );
    writeFileSync(at("other.key"), randomBytes(32));
    const otherKey = ["--secret-key-file", at("other.key")];
    await rejected(/is another secret key than/, ...restore("first", at("other")), ...otherKey);
    await done("backup-keygen", at("stranger"));
    const strange = ["restore", at("first"), "--data", at("other"), "--identity-file"];
    await rejected(/for other recipients than these identities/, ...strange, at("stranger"));
    await rejected(/must contain identities of age/, ...strange, at("first"));
    await rejected(/give --identity-file or/, "restore", at("first"), "--data", at("other"));
    assert.ok(!existsSync(at("other/wharf.db")));
  });

  test("migrate copies between the databases, and says how servers are started then", async () => {
    await rejected(/another server uses it/, "migrate", "--data", server.data, "--to", at("moved"));
    await rejected(/--to is required/, "migrate", "--data", at("restored"));
    const url = await emptyDatabase();
    const there = await done("migrate", "--data", at("restored"), "--to", url);
    assert.match(there.stderr, /^wharf: copied and compared [\d,]+ rows$/m);
    assert.match(
      there.stderr,
      /--database-url and --secret-key-file \S+restored\/secret\.key, and none/,
    );
    const key = ["--secret-key-file", at("restored/secret.key")];
    await done("migrate", "--database-url", url, ...key, "--to", at("back"));
    await rejected(
      /back\/wharf\.db exists/,
      "migrate",
      "--database-url",
      url,
      ...key,
      "--to",
      at("back"),
    );
    const filled = ["migrate", "--data", at("restored"), "--to", url];
    await rejected(/the database is not empty/, ...filled);
    const content = ["--registry-storage", at("restored/registry")];
    await done("check", "--data", at("back"), ...key, ...content);
  });
});
