import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { Http } from "../../server/test/support/client/http.ts";
import { PASSWORD } from "../../server/test/support/world/local-accounts.ts";
import { World } from "../../server/test/support/world/world.ts";
import { wharf } from "./support/command.ts";

describe("wharf admin accounts and keys list", () => {
  let world: World;
  before(async () => {
    world = await World.start();
  });
  after(() => world.stop());
  const admin = (...words: string[]) => wharf(["admin", ...words, "--data", world.server.data]);
  const json = async (...words: string[]) => {
    const { code, stdout, stderr } = await admin(...words, "-o", "json");
    assert.equal(code, 0, stderr);
    return JSON.parse(stdout);
  };

  test("keys list has what is published, and no private part", async () => {
    const keys = await json("keys", "list");
    const jwks = await fetch(`${world.server.url}/.well-known/jwks.json`);
    const { keys: published } = (await jwks.json()) as { keys: { kid: string }[] };
    const tokens = keys.filter(({ use }: { use: string }) => use === "tokens");
    assert.deepEqual(
      tokens.map(({ kid, state }: { kid: string; state: string }) => [kid, state]),
      published.map(({ kid }) => [kid, "current"]),
    );
    assert.ok(!JSON.stringify(keys).includes('"d"'));
    const { stdout } = await admin("keys", "list");
    assert.match(stdout, /^KID +USE +ALGORITHM +STATE +CREATED +RETIRES$/m);
  });

  test("a disabled account is signed out at once, cannot sign in, and can be reset", async () => {
    const { accounts } = world;
    assert.equal((await accounts.setUp()).status, 200);
    const { tokens } = await accounts.tryPassword("ada", PASSWORD);
    assert.ok(tokens);
    const works = async () =>
      (await new Http(world.server.url, tokens.access_token).get("/iam/v2beta1/groups")).status;
    const states = async () =>
      (await json("accounts", "list")).map(
        ({ username, state, sessions }: Record<string, unknown>) => [username, state, sessions],
      );
    assert.deepEqual(await states(), [["ada", "active", 1]]);
    const unconfirmed = await admin("accounts", "disable", "ada");
    assert.notEqual(unconfirmed.code, 0);
    assert.equal(await works(), 200);
    const { code, stderr } = await admin("accounts", "disable", "ada", "--yes");
    assert.equal(code, 0, stderr);
    assert.match(stderr, /ada can no longer sign in; ended 1 session$/m);
    assert.deepEqual(await states(), [["ada", "disabled", 0]]);
    assert.equal(await works(), 401);
    // Nobody else has an account: there is nothing left to sign in with.
    const { app, page } = await accounts.begin();
    app.stop();
    assert.match(page.text, /There is no account to sign in with yet/);
  });

  test("an unknown account is named", async () => {
    const { code, stderr } = await admin("accounts", "disable", "nobody", "--yes");
    assert.notEqual(code, 0);
    assert.match(stderr, /there is no local account nobody/);
  });
});
