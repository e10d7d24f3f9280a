import assert from "node:assert/strict";
import { after, afterEach, before, beforeEach, describe, test } from "node:test";
import { Http } from "../../server/test/support/client/http.ts";
import { World } from "../../server/test/support/world/world.ts";
import { Home } from "./support/auth-home.ts";

describe("signing out", () => {
  let world: World;
  let home: Home;
  before(async () => {
    world = await World.start({ login: true });
  });
  after(() => world.stop());
  beforeEach(async () => {
    home = new Home({ WHARF_API: world.server.url });
    assert.equal((await home.logIn(world, "ada")).code, 0);
  });
  afterEach(() => home.remove());

  const token = () => home.login.tokens[world.server.url]?.token ?? "";
  const works = async (text: string) =>
    (await new Http(world.server.url, text).get("/auth/v1/ok")).status === 200;
  const logins = () => home.files().filter((path) => !path.endsWith(".lock"));

  test("logout ends the session and deletes its tokens", async () => {
    const kept = token();
    const { code, stderr } = await home.run(["auth", "logout"]);
    assert.equal(code, 0);
    assert.match(stderr, /signed out of http:\S+ as ada@acme\.example/);
    assert.equal(await works(kept), false);
    assert.deepEqual(logins(), []);
    const again = await home.run(["auth", "logout"]);
    assert.equal(again.code, 3);
    await home.ok(["auth", "logout", "--all"]);
  });

  test("logout --all deletes every login, --everywhere also ends other sessions", async () => {
    const elsewhere = await world.login.logIn("bob");
    assert.equal((await home.logIn(world, "bob")).code, 0);
    assert.equal(logins().filter((path) => path.endsWith(".json")).length, 2);
    await home.ok(["auth", "logout", "--all"]);
    assert.deepEqual(logins(), []);
    assert.equal(await works(elsewhere.access_token), true);
    assert.equal((await home.logIn(world, "bob")).code, 0);
    await home.ok(["auth", "logout", "--everywhere"]);
    assert.equal(await works(elsewhere.access_token), false);
  });

  test("logout without a server deletes the tokens and warns about the session", async () => {
    await world.server.terminate();
    try {
      const { code, stderr } = await home.run(["auth", "logout"]);
      assert.equal(code, 0);
      assert.match(stderr, /the session at \S+ could not be ended/);
      assert.deepEqual(logins(), []);
    } finally {
      await world.server.restart();
    }
  });

  test("sessions are listed, and ended by id", async () => {
    const other = await world.login.logIn("ada");
    const { items } = JSON.parse(await home.ok(["auth", "sessions", "list", "-o", "json"]));
    const current = items.filter((item: { current: boolean }) => item.current);
    assert.equal(current.length, 1);
    assert.match(current[0].userAgent, /^wharf\/\d/);
    const others = items.filter((item: { current: boolean }) => !item.current);
    for (const { id } of others) await home.ok(["auth", "sessions", "end", id]);
    assert.equal(await works(other.access_token), false);
    assert.equal(await works(token()), true);
    const unknown = await home.run(["auth", "sessions", "end", others[0].id]);
    assert.equal(unknown.code, 5);
    const everyone = [
      "auth",
      "sessions",
      "list",
      "--identity-provider",
      world.login.provider,
      "-o",
      "id",
    ];
    assert.match(await home.ok(everyone), new RegExp(current[0].id));
  });

  test("delete-account asks, then deletes the caller's account", async () => {
    const asked = await home.run(["auth", "delete-account"]);
    assert.equal(asked.code, 2);
    assert.equal(await works(token()), true);
    const { identity } = home.login;
    const kept = token();
    await home.ok(["auth", "delete-account", "-y"]);
    assert.equal(await works(kept), false);
    assert.equal((await world.http.get(`/iam/v2beta1/identities/${identity}`)).status, 404);
    assert.deepEqual(logins(), []);
  });
});
