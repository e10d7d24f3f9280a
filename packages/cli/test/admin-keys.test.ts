import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { Http } from "../../server/test/support/client/http.ts";
import { rawRows } from "../../server/test/support/server/direct-store.ts";
import { everyValueOf, spellings } from "../../server/test/support/server/key-material.ts";
import { scratchFolder } from "../../server/test/support/server/scratch-folder.ts";
import { TestServer } from "../../server/test/support/server/test-server.ts";
import { World } from "../../server/test/support/world/world.ts";
import { wharf } from "./support/command.ts";
import { wharfAtTerminal } from "./support/terminal.ts";

const folder = scratchFolder("wharf-admin-keys-");
after(() => rmSync(folder, { recursive: true, force: true }));

function keyFile(name: string, content: string | Buffer = randomBytes(32)): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

/** The keys, which a rejected command must not change. */
const keysOf = (server: TestServer) =>
  rawRows(server, "SELECT kid, retires FROM signing_keys ORDER BY kid");

const works = async (server: TestServer, token: string) =>
  (await new Http(server.url, token).get("/iam/v2beta1/groups")).status === 200;

describe("wharf admin keys", () => {
  let world: World;
  before(async () => {
    world = await World.start({ login: true, flags: ["--secret-key-file", keyFile("secret.key")] });
  });
  after(() => world.stop());
  const data = () => ["--data", world.server.data];
  const secretKey = join(folder, "secret.key");
  const own = () => [...data(), "--secret-key-file", secretKey];

  const COMMANDS = [
    ["token"],
    ["token", "--identity", "0".repeat(40)],
    ["keys", "rotate"],
    ["keys", "rotate", "--now", "--yes"],
    ["keys", "rotate", "--all", "--yes"],
    ["registry-secret", "registry.example.com"],
    ["reset-account", "ada"],
  ];

  for (const command of COMMANDS) {
    test(`${command.join(" ")} rejects another key, and none, and changes nothing`, async () => {
      const before = await keysOf(world.server);
      const other = keyFile("other.key");
      const missing = join(folder, "missing.key");
      for (const [flags, why] of [
        [["--secret-key-file", other], /other\.key is not the key that stored keys and secrets/],
        [["--secret-key-file", missing], /--secret-key-file \S+missing\.key is missing/],
        [[], /secret\.key is missing: stored keys and secrets cannot be read without it/],
      ] as const) {
        const { code, stdout, stderr } = await wharf(["admin", ...command, ...data(), ...flags]);
        assert.deepEqual([code, stdout], [2, ""], stderr);
        assert.match(stderr, why);
      }
      assert.deepEqual(await keysOf(world.server), before);
    });
  }

  test("irreversible commands ask for confirmation, or need -y", async () => {
    const before = await keysOf(world.server);
    for (const flags of [
      ["--now"],
      ["--all"],
      ["--now", "--all"],
      ["--all", "--lost-secret-key"],
    ]) {
      const { code, stdout, stderr } = await wharf(["admin", "keys", "rotate", ...flags, ...own()]);
      assert.deepEqual([code, stdout], [2, ""]);
      assert.match(stderr, /There is no terminal to ask at\n.*-y skips the confirmation/);
    }
    assert.deepEqual(await keysOf(world.server), before);
  });

  test("at a terminal, anything but yes cancels", async () => {
    const before = await keysOf(world.server);
    const words = ["admin", "keys", "rotate", "--now", ...own()];
    const refused = wharfAtTerminal(words);
    await refused.until(/Revoke every token signed so far/);
    refused.type("n");
    assert.equal(await refused.end(), 1);
    assert.match(refused.text, /wharf: canceled: nothing was changed/);
    assert.deepEqual(await keysOf(world.server), before);
    const agreed = wharfAtTerminal(words);
    await agreed.until(/Revoke every token signed so far/);
    agreed.type("y");
    assert.equal(await agreed.end(), 0);
    assert.notDeepEqual(await keysOf(world.server), before);
  });

  test("conflicting options are rejected", async () => {
    const before = await keysOf(world.server);
    for (const [flags, why] of [
      [["--lost-secret-key", "-y"], /--all/],
      [["--now=yes"], /--now/],
      [["--never"], /--never/],
      [["--all", "--lost-secret-key", "-y"], /opens the stored keys and secrets: nothing is lost/],
    ] as const) {
      const { code, stderr } = await wharf(["admin", "keys", "rotate", ...flags, ...own()]);
      assert.equal(code, 2, stderr);
      assert.match(stderr, why);
    }
    assert.deepEqual(await keysOf(world.server), before);
  });

  test("rotate --all reports what it did and the next steps", async () => {
    assert.equal((await fetch(`${world.server.url}/registry/certs.pem`)).status, 200);
    await world.login.logIn("ada");
    const { code, stdout, stderr } = await wharf([
      ...["admin", "keys", "rotate", "--all", "-y"],
      ...own(),
    ]);
    assert.equal(code, 0, stderr);
    const [newest] = await rawRows<{ kid: string }>(world.server, "SELECT kid FROM signing_keys");
    assert.equal(stdout, `${newest?.kid}\n`);
    for (const line of [
      /^wharf: replaced: signing keys and registry keys; tokens signed by the old ones are rejected/m,
      /^wharf: replaced: the secrets of refresh tokens, page tokens and registry notifications$/m,
      /^wharf: ended: 1 session, sign-ins in progress, setup and reset codes$/m,
      /^wharf: next: give every registry the new \/registry\/certs\.pem and restart it/m,
      /^wharf: next: give every registry its new notification secret: wharf admin registry-secret/m,
      /^wharf: next: if the secret key leaked, too, .*: acme sso \([0-9a-f/]+\)$/m,
      /^wharf: next: ask users to sign in again/m,
    ])
      assert.match(stderr, line);
  });

  test("reseal rejects an invalid new key", async () => {
    for (const [flags, why] of [
      [[], /admin keys reseal: --new-secret-key-file FILE is required/],
      [["--new-secret-key-file", join(folder, "nowhere")], /nowhere is missing/],
      [["--new-secret-key-file", keyFile("short.key", "short")], /must contain 32 random bytes/],
      [["--new-secret-key-file", secretKey], /is the current secret key: generate a new one/],
    ] as const) {
      const { code, stderr } = await wharf(["admin", "keys", "reseal", ...flags, ...own()]);
      assert.equal(code, 2, stderr);
      assert.match(stderr, why);
    }
  });

  test("a server whose key was replaced reports it until it has the new one", async () => {
    const next = keyFile("next.key");
    const resealed = await wharf([
      ...["admin", "keys", "reseal", "--new-secret-key-file", next],
      ...own(),
    ]);
    assert.equal(resealed.code, 0, resealed.stderr);
    assert.match(resealed.stderr, /^wharf: encrypted \d+ keys and secrets with the new key$/m);
    assert.match(resealed.stderr, /^wharf: next: replace \S+secret\.key with the new file at/m);
    const withNext = [...data(), "--secret-key-file", next];
    const rotated = await wharf(["admin", "keys", "rotate", "--now", "-y", ...withNext]);
    assert.equal(rotated.code, 0, rotated.stderr);
    const token = (await wharf(["admin", "token", ...withNext])).stdout.trim();
    const refused = await new Http(world.server.url, token).get("/iam/v2beta1/groups");
    assert.equal(refused.status, 503);
    assert.match(refused.body.message, /sealed with another key than this server has/);
    renameSync(next, secretKey);
    assert.ok(await works(world.server, token));
  });

  test("if the secret key is lost, everything encrypted with it is replaced", async () => {
    const old = await world.server.token();
    const fresh = keyFile("fresh.key");
    rmSync(secretKey);
    const lost = ["admin", "keys", "rotate", "--all", "--lost-secret-key", "-y"];
    const missing = await wharf([...lost, ...own()]);
    assert.equal(missing.code, 2);
    assert.match(missing.stderr, /secret\.key is missing/);
    renameSync(fresh, secretKey);
    const { code, stderr } = await wharf([...lost, ...own()]);
    assert.equal(code, 0, stderr);
    assert.match(stderr, /set the client secret again at these identity providers: acme sso \(/);
    assert.ok(!(await works(world.server, old)));
    assert.ok(await works(world.server, await world.server.token()));
    await world.server.terminate();
    await world.server.restart();
    assert.ok(await works(world.server, await world.server.token()));
  });
});

describe("the secret key of PostgreSQL", () => {
  test("moves from the database to a file", async () => {
    const server = await TestServer.start({ store: "postgres" });
    try {
      const next = keyFile("postgres.key");
      const words = ["admin", "keys", "reseal", "--new-secret-key-file", next];
      const { code, stderr } = await wharf([...words, ...server.storeFlags]);
      assert.equal(code, 0, stderr);
      assert.match(stderr, /next: restart every replica with --secret-key-file and the new file/);
      for (const spelled of spellings(readFileSync(next)))
        for (const { at, value } of await everyValueOf(server))
          assert.ok(!value.includes(spelled), at);
      const kept = await rawRows(server, "SELECT name FROM installation WHERE name = 'secret-key'");
      assert.deepEqual(kept, []);
      await assert.rejects(
        server.token(),
        /the key of stored keys and secrets is not in the database/,
      );
      await server.terminate();
      await server.restart(["--secret-key-file", next]);
      const token = await wharf([
        ...["admin", "token", "--secret-key-file", next],
        ...server.storeFlags,
      ]);
      assert.ok(await works(server, token.stdout.trim()));
    } finally {
      await server.stop();
    }
  });
});
