import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { notificationSecret } from "../src/app/admin.ts";
import { filesBelow } from "./support/server/files-below.ts";
import {
  everyValueOf,
  type KeyMaterial,
  keyMaterialOf,
  secretBytesOf,
  spellings,
} from "./support/server/key-material.ts";
import { scratchFolder } from "./support/server/scratch-folder.ts";
import { STORES } from "./support/server/test-server.ts";
import { testSettings } from "./support/server/test-settings.ts";
import { roleNamed, World } from "./support/world/world.ts";

const HOST = "registry.example.com";
const ATTACHED = ["--registry-urls", `${HOST}=http://127.0.0.1:1`, "--reconcile-minutes", "0"];

for (const store of STORES) {
  describe(`the database of an installation in use, on ${store}`, () => {
    const folder = scratchFolder("wharf-at-rest-");
    const keyFile = join(folder, "secret.key");
    let world: World;
    let material: KeyMaterial;
    /** The secrets that callers have received. */
    const given: [string, Buffer][] = [];
    before(async () => {
      writeFileSync(keyFile, randomBytes(32), { mode: 0o600 });
      world = await World.start({
        login: true,
        store,
        flags: ["--secret-key-file", keyFile, ...ATTACHED],
      });
      const give = (name: string, secret: string) => given.push([name, Buffer.from(secret)]);
      const {
        server,
        http: operator,
        login: { organization, provider },
      } = world;
      const { access_token, refresh_token } = await world.login.logIn("ada");
      give("access token", access_token);
      give("refresh token", refresh_token);
      const invited = await operator.post(`/iam/v2beta1/groupInvites/${organization}`, {
        roleUid: roleNamed("viewer"),
        ttl: "900s",
      });
      give("invite code", invited.body.code);
      const at = `/iam/v2beta1/identityProviders/${provider}`;
      const scim = await operator.post(`${at}:generateScimToken`, {});
      give("SCIM token", scim.body.token);
      assert.equal((await fetch(`${server.url}/registry/certs.pem`)).status, 200);
      const settings = await testSettings([...server.storeFlags, ...ATTACHED]);
      give("notification secret", await notificationSecret(settings, HOST));
      material = await keyMaterialOf(server);
    });
    after(async () => {
      await world.stop();
      rmSync(folder, { recursive: true, force: true });
    });

    const wanted = () => [
      ...secretBytesOf(material),
      ...given,
      ["secret key", readFileSync(keyFile)] as [string, Buffer],
    ];

    test("is scanned for known secrets (self-check)", () => {
      assert.deepEqual([material.signing.size, material.registry.size], [1, 2]);
      assert.deepEqual([...material.installation.keys()].sort(), [
        "idempotency-keys",
        "login-tickets",
        "page-tokens",
        "refresh-tokens",
        "registry-notifications",
        "webhooks",
      ]);
      assert.deepEqual(material.others, ["s3cret"]);
      assert.equal(given.length, 5);
      for (const [name, secret] of wanted()) assert.ok(secret.length > 5, name);
    });

    test("no column of any table contains a key, a secret or a token", async () => {
      const values = await everyValueOf(world.server);
      assert.ok(values.length > 500);
      for (const [name, secret] of wanted())
        for (const spelled of spellings(secret))
          for (const { at, value } of values)
            assert.ok(!value.includes(spelled), `${at} holds the ${name}`);
      for (const { at, value } of values)
        assert.doesNotMatch(value.toString("latin1"), /"d":"/, `${at} holds a private key`);
    });

    if (store === "sqlite") {
      test("no file of the data directory does either", () => {
        const { data } = world.server;
        for (const file of filesBelow(data)) {
          const content = readFileSync(file);
          for (const [name, secret] of wanted())
            for (const spelled of spellings(secret))
              assert.ok(!content.includes(spelled), `${file} holds the ${name}`);
        }
      });
    }
  });
}

describe("PostgreSQL without a key file", () => {
  let world: World;
  before(async () => {
    world = await World.start({ login: true, store: "postgres" });
  });
  after(() => world.stop());

  test("has the secret key in one row, and nothing else in plain text", async () => {
    const material = secretBytesOf(await keyMaterialOf(world.server));
    const values = await everyValueOf(world.server);
    for (const [name, secret] of material)
      for (const spelled of spellings(secret))
        for (const { at, value } of values)
          assert.ok(!value.includes(spelled), `${at} holds the ${name}`);
    const keyRows = values.filter(({ value }) => value.toString() === "secret-key");
    assert.deepEqual(
      keyRows.map(({ at }) => at),
      ["installation.name"],
    );
  });
});
