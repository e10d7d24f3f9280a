import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { HttpBrowser, type Visited } from "./support/browser/http-browser.ts";
import { SoftPasskey } from "./support/browser/soft-passkey.ts";
import { Http } from "./support/client/http.ts";
import { askForToken } from "./support/client/tokens.ts";
import { STORES } from "./support/server/test-server.ts";
import { alertOf, PASSWORD } from "./support/world/local-accounts.ts";
import { World } from "./support/world/world.ts";

const NEW_PASSWORD = "another horse battery staple";
const WRONG_CODE = "The code is wrong, was already used, or has expired.";

for (const store of STORES) {
  describe(`resetting a local account, on ${store}`, () => {
    let world: World;
    before(async () => {
      world = await World.start({ store });
      assert.equal((await world.accounts.setUp()).status, 200);
    });
    after(() => world.stop());

    const newCode = async () => (await world.server.admin("reset-account", "Ada")).trim();

    async function reset(code: string, password: string): Promise<Visited> {
      const browser = new HttpBrowser();
      const page = await browser.open(`${world.accounts.url}/reset`);
      return browser.submit(page, { code, password, password_again: password });
    }

    test("is for accounts that exist", async () => {
      await assert.rejects(world.server.admin("reset-account", "nobody"), {
        code: 2,
        stderr: /there is no local account nobody/,
      });
      await assert.rejects(world.server.admin("reset-account"), { code: 2 });
    });

    test("replaces the password and ends every session", async () => {
      const { tokens } = await world.accounts.tryPassword("ada", PASSWORD);
      const rest = new Http(world.server.url, tokens?.access_token ?? "");
      assert.equal((await rest.get("/auth/v1/ok")).status, 200);
      const code = await newCode();
      assert.match(code, /^([A-Z]{4}-){4}[A-Z]{4}$/);
      assert.ok(
        (await world.accounts.tryPassword("ada", PASSWORD)).tokens,
        "until then the old one is good",
      );

      for (const [typed, password, said] of [
        ["BBBB-CCCC-DDDD-FFFF-GGGG", NEW_PASSWORD, WRONG_CODE],
        [code, "short", "A password must have at least 12 characters."],
      ] as const) {
        const page = await reset(typed, password);
        assert.deepEqual([page.status, alertOf(page)], [400, said]);
        assert.equal((await rest.get("/auth/v1/ok")).status, 200);
      }
      const tries = await Promise.all([
        reset(code.toLowerCase(), NEW_PASSWORD),
        reset(code, NEW_PASSWORD),
      ]);
      assert.deepEqual(tries.map(({ status }) => status).sort(), [200, 400]);
      assert.equal(alertOf(await reset(code, PASSWORD)), WRONG_CODE);

      assert.equal((await rest.get("/auth/v1/ok")).status, 401);
      const refresh_token = tokens?.refresh_token ?? "";
      const refreshed = await askForToken(world.accounts.url, {
        grant_type: "refresh_token",
        refresh_token,
      });
      assert.equal(refreshed.error, "invalid_grant");
      assert.equal((await world.accounts.tryPassword("ada", PASSWORD)).tokens, undefined);
      const again = await world.accounts.tryPassword("ada", NEW_PASSWORD);
      assert.equal((await world.accounts.whoAmI(again.tokens)).capabilities[0].role.name, "owner");
    });

    test("ends pending sign-ins", async () => {
      const { app, browser, page } = await world.accounts.begin();
      const fields = { username: "ada", password: NEW_PASSWORD };
      const how = { action: "/oauth/local", until: app.redirectUri };
      const callback = await browser.submit(page, fields, how);
      assert.ok(callback.url.startsWith(app.redirectUri));
      assert.equal((await reset(await newCode(), NEW_PASSWORD)).status, 200);
      const { error } = await app.redeem(new URL(callback.url).searchParams);
      assert.equal(error, "invalid_grant");
      app.stop();
    });

    test("invalidates earlier reset codes", async () => {
      const old = await newCode();
      const code = await newCode();
      assert.equal(alertOf(await reset(old, PASSWORD)), WRONG_CODE);
      assert.equal((await reset(code, PASSWORD)).status, 200);
    });

    test("replaces the password by a passkey, and that by another", async () => {
      const passkeys = [
        new SoftPasskey(world.accounts.url),
        new SoftPasskey(world.accounts.url),
      ] as const;
      for (const passkey of passkeys) {
        const code = await newCode();
        const browser = new HttpBrowser();
        await browser.open(`${world.accounts.url}/reset`);
        const at = `${world.accounts.url}/reset/passkey`;
        const wrong = await browser.send(`${at}/options`, { code: "BBBB" });
        assert.deepEqual(wrong, { status: 400, body: { error: WRONG_CODE } });
        const ask = async () => {
          const { body } = await browser.send(`${at}/options`, { code });
          const { challengeId } = body;
          return { code, challengeId, response: passkey.create(body.options) };
        };
        const thief = new HttpBrowser();
        assert.equal((await thief.send(`${at}/verify`, await ask())).status, 403);
        await thief.open(`${world.accounts.url}/reset`);
        const stolen = await thief.send(`${at}/verify`, await ask());
        assert.equal(stolen.status, 403, "with a cookie of its own");
        const answer = await browser.send(`${at}/verify`, await ask());
        assert.deepEqual(answer, { status: 200, body: { redirect: "/reset/done" } });
      }
      assert.equal((await world.accounts.counts()).passkeys, 1);
      assert.equal((await world.accounts.tryPassword("ada", PASSWORD)).tokens, undefined);
      assert.equal((await world.accounts.tryPasskey(passkeys[0])).answer.status, 401);
      const { tokens } = await world.accounts.tryPasskey(passkeys[1]);
      assert.equal((await world.accounts.whoAmI(tokens)).profile.name, "ada");
    });
  });
}
