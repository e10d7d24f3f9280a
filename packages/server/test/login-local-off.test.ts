import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { decodeJwt } from "jose";
import { HttpBrowser } from "./support/browser/http-browser.ts";
import { Http } from "./support/client/http.ts";
import { askForToken, exchange, type TokenAnswer } from "./support/client/tokens.ts";
import { STORES, TestServer } from "./support/server/test-server.ts";
import { alertOf, PASSWORD } from "./support/world/local-accounts.ts";
import { World } from "./support/world/world.ts";

const BASE_URL = "http://wharf.example:8080";

for (const store of STORES) {
  describe(`disabled local accounts, on ${store}`, () => {
    let on: World;
    let off: TestServer;
    let tokens: TokenAnswer;
    let other: { token: string; binding: string };
    before(async () => {
      on = await World.start({ store, flags: ["--base-url", BASE_URL] });
      assert.equal((await on.accounts.setUp()).status, 200);
      const signedIn = await on.accounts.tryPassword("ada", PASSWORD);
      assert.ok(signedIn.tokens);
      tokens = signedIn.tokens;
      const rest = new Http(on.server.url, tokens.access_token);
      assert.equal((await rest.get("/auth/v1/ok")).status, 200);
      const organization = await on.organization();
      await on.bind(organization, decodeJwt(tokens.access_token).sub ?? "", "owner");
      const { uid, token } = await on.member();
      other = { token, binding: await on.bind(organization, uid, "owner") };
      if (store === "sqlite") await on.server.terminate();
      off = await TestServer.start({
        sameStoreAs: on.server,
        flags: ["--base-url", BASE_URL, "--local-accounts", "off"],
      });
    });
    after(async () => {
      await off.stop();
      await on.server.stop();
    });

    test("end their sessions immediately", async () => {
      const { access_token, refresh_token } = tokens;
      const rest = new Http(off.url, access_token);
      assert.equal((await rest.get("/auth/v1/ok")).status, 401);
      assert.equal((await rest.get("/iam/v2beta1/groups")).status, 401);
      const refreshed = await askForToken(off.url, { grant_type: "refresh_token", refresh_token });
      assert.equal(refreshed.error, "invalid_grant");
      const exchanged = await exchange(off.url, access_token, { aud: BASE_URL });
      assert.equal(exchanged.status, 401);
    });

    test("do not count as owners", async () => {
      const rest = new Http(off.url, other.token);
      const left = await rest.delete(`/iam/v2beta1/roleBindings/${other.binding}`);
      assert.equal(left.status, 400);
      assert.match(JSON.stringify(left.body), /LAST_OWNER/);
    });

    test("have no pages", async () => {
      const browser = new HttpBrowser();
      const choose = await browser.open(`${off.url}/oauth`);
      assert.equal(choose.status, 200);
      assert.doesNotMatch(choose.text, /oauth\/local|passkey/);
      for (const [method, path] of [
        ["POST", "/oauth/local"],
        ["POST", "/oauth/account"],
        ["POST", "/oauth/passkey/options"],
        ["POST", "/oauth/passkey/verify"],
        ["POST", "/oauth/account/passkey/options"],
        ["POST", "/oauth/account/passkey/verify"],
        ["GET", "/oauth/continue"],
        ["GET", "/setup"],
        ["POST", "/setup"],
        ["POST", "/setup/passkey/options"],
        ["POST", "/setup/passkey/verify"],
        ["GET", "/reset"],
        ["POST", "/reset"],
        ["POST", "/reset/passkey/options"],
        ["POST", "/reset/passkey/verify"],
      ] as const) {
        const response = await fetch(`${off.url}${path}`, { method });
        const page = { ...choose, text: await response.text() };
        const said = [response.status, alertOf(page)];
        assert.deepEqual(said, [404, "Local accounts are disabled on this server."], path);
      }
    });
  });
}

describe("a first run without local accounts", () => {
  test("prints no code", async () => {
    const server = await TestServer.start({ flags: ["--local-accounts", "off"] });
    await fetch(`${server.url}/healthz`);
    assert.equal(await server.stop(), 0);
    assert.doesNotMatch(server.log, /first run/);
    assert.match(server.log, /"msg":"ready"/);
  });
});
