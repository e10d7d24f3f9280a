import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { OPERATOR_UID } from "../src/auth/caller.ts";
import { newSigningKey } from "../src/auth/new-key.ts";
import { signJwt } from "../src/auth/sign.ts";
import { newRegistryKeys } from "../src/registry/access/keys.ts";
import type { Driver } from "../src/store/db/connection.ts";
import { openPostgres } from "../src/store/db/postgres.ts";
import { openSqlite } from "../src/store/db/sqlite.ts";
import { Http } from "./support/client/http.ts";
import { rawRows } from "./support/server/direct-store.ts";
import { createEarlierStore } from "./support/server/earlier-store.ts";
import { filesBelow } from "./support/server/files-below.ts";
import {
  everyValueOf,
  keyMaterialOf,
  privateKeyOf,
  secretBytesOf,
  spellings,
} from "./support/server/key-material.ts";
import { emptyDatabase } from "./support/server/postgres.ts";
import { STORES, TestServer } from "./support/server/test-server.ts";

const BASE_URL = "http://wharf.test";

/** A store as such a version has written it. */
async function plainStore(driver: Driver) {
  const { writer } = driver;
  const signing = await newSigningKey(Date.now() - 1_000);
  const registry = await newRegistryKeys(Date.now() - 1_000);
  const secrets = ["page-tokens", "refresh-tokens", "registry-notifications"].map(
    (name) => [name, randomBytes(32).toString("base64url")] as const,
  );
  await driver.begin();
  await createEarlierStore(driver);
  await writer.run(
    "INSERT INTO signing_keys (kid, private_jwk, created) VALUES (?, ?, ?)",
    signing.kid,
    signing.jwk,
    signing.created,
  );
  for (const { kid, jwk, certificate, created } of registry) {
    await writer.run(
      "INSERT INTO registry_keys (kid, private_jwk, certificate, created) VALUES (?, ?, ?, ?)",
      kid,
      jwk,
      certificate,
      created,
    );
  }
  for (const [name, value] of secrets)
    await writer.run("INSERT INTO installation (name, value) VALUES (?, ?)", name, value);
  await driver.commit();
  await driver.close();
  return { signing, registry, secrets: new Map(secrets) };
}

for (const store of STORES) {
  describe(`upgrading a store with plaintext keys, on ${store}`, () => {
    const folder = mkdtempSync(join(tmpdir(), "wharf-upgrade-"));
    let plain: Awaited<ReturnType<typeof plainStore>>;
    let servers: TestServer[];
    before(async () => {
      const keyFile = join(folder, "secret.key");
      writeFileSync(keyFile, randomBytes(32));
      const url = store === "postgres" ? await emptyDatabase() : "";
      const driver = url ? await openPostgres(url) : openSqlite(join(folder, "wharf.db"));
      plain = await plainStore(driver);
      const where = url ? ["--database-url", url] : ["--data", folder];
      const sameStoreAs = { storeFlags: [...where, "--secret-key-file", keyFile] };
      const replicas = url ? 3 : 1;
      const starts = Array.from({ length: replicas }, () =>
        TestServer.start({ sameStoreAs, flags: ["--base-url", BASE_URL] }),
      );
      servers = await Promise.all(starts);
    });
    after(async () => {
      for (const server of servers) assert.equal(await server.stop(), 0);
      rmSync(folder, { recursive: true, force: true });
    });

    test("keeps keys and secrets, also if replicas start at the same time", async () => {
      const [server] = servers as [TestServer];
      const material = await keyMaterialOf(server);
      assert.deepEqual([...material.signing.keys()], [plain.signing.kid]);
      assert.deepEqual(
        [...material.registry.keys()].sort(),
        plain.registry.map(({ kid }) => kid).sort(),
      );
      for (const [name, value] of plain.secrets)
        assert.equal(material.installation.get(name)?.toString("base64url"), value, name);
      const { kid, key } = privateKeyOf(material.signing);
      const iat = Math.floor(Date.now() / 1000);
      const claims = { iss: BASE_URL, aud: BASE_URL, sub: OPERATOR_UID, jti: "1", iat };
      const token = signJwt({ kid, privateKey: key }, { ...claims, exp: iat + 600 });
      for (const { url } of servers)
        assert.equal((await new Http(url, token).get("/iam/v2beta1/groups")).status, 200);
    });

    test("leaves no plaintext keys in tables", async () => {
      const [server] = servers as [TestServer];
      const secrets = secretBytesOf(await keyMaterialOf(server));
      assert.equal(secrets.length, 9);
      const values = await everyValueOf(server);
      assert.deepEqual(await rawRows(server, "SELECT * FROM unsealed"), []);
      for (const [name, secret] of secrets)
        for (const spelled of spellings(secret))
          for (const { at, value } of values)
            assert.ok(!value.includes(spelled), `${at} holds ${name}`);
    });

    test("leaves no plaintext keys in database files", async () => {
      const [server] = servers as [TestServer];
      const secrets = secretBytesOf(await keyMaterialOf(server));
      const files = store === "sqlite" ? filesBelow(folder) : [];
      if (store === "postgres") {
        // Changes that are not yet written out are in memory alone.
        await rawRows(server, "CHECKPOINT");
        const tables = ["signing_keys", "registry_keys", "installation", "unsealed", "secrets"];
        const [at] = await rawRows<{ data_directory: string }>(server, "SHOW data_directory");
        for (const table of tables) {
          const sql = `SELECT pg_relation_filepath('${table}') AS path`;
          const [row] = await rawRows<{ path: string }>(server, sql);
          files.push(join(at?.data_directory as string, row?.path as string));
        }
      }
      assert.ok(files.length >= 3);
      for (const file of files) {
        const content = readFileSync(file);
        for (const [name, secret] of secrets)
          for (const spelled of spellings(secret))
            assert.ok(!content.includes(spelled), `${file} holds ${name}`);
      }
    });
  });
}
