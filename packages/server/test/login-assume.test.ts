import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { builtinRole } from "@wharf/contract";
import { decodeJwt } from "jose";
import { HttpBrowser } from "./support/browser/http-browser.ts";
import { Http } from "./support/client/http.ts";
import { askForToken, HeadlessClient, OAuthClient } from "./support/client/tokens.ts";
import { rawRows } from "./support/server/direct-store.ts";
import { STORES } from "./support/server/test-server.ts";
import { World } from "./support/world/world.ts";

for (const store of STORES) {
  describe(`sign-ins for an identity and for groups by name, on ${store}`, () => {
    let world: World;
    let folder: string;
    /** An identity that trusts ada, and sees the folder only. */
    let ci: string;
    before(async () => {
      world = await World.start({ login: true, store });
      const { organization } = world.login;
      const make = async (path: string, body: object): Promise<string> =>
        (await world.post(path, body)).uid;
      folder = await make(`groups/${organization}`, { name: "the folder" });
      await make(`groups/${organization}`, { name: "other" });
      await world.login.logIn("bob");
      const subject = decodeJwt((await world.login.logIn("ada")).access_token).sub;
      ci = await make(`identities/${organization}`, {
        name: "ci",
        claimMatch: { issuer: world.server.baseUrl, subject },
      });
      const roleUid = builtinRole("viewer")?.uid;
      await make(`roleBindings/${folder}`, { identityUid: ci, roleUid });
    });
    after(() => world.stop());

    const seen = async (token: string) => {
      const { body } = await new Http(world.server.url, token).get("/iam/v2beta1/groups");
      return body.groups.map(({ name }: { name: string }) => name).sort();
    };
    const refreshed = (refresh_token: string, more: object = {}) =>
      askForToken(world.server.url, { grant_type: "refresh_token", refresh_token, ...more });
    const sessions = async () => (await rawRows(world.server, "SELECT id FROM sessions")).length;

    /** The parameters that an existing client receives. */
    const redirected = async (person: string, parameters: Record<string, string>) => {
      const tool = await OAuthClient.start(world.server.url);
      const redirect = `${tool.redirectUri}?token=true&error=true`;
      const query = { exit: "redirect", redirect, idp_id: world.login.provider, ...parameters };
      const url = `${world.server.url}/oauth?${new URLSearchParams(query)}`;
      const page = await world.login.signIn(new HttpBrowser(), url, person, tool.redirectUri);
      tool.stop();
      return new URL(page.url).searchParams;
    };

    test("a person who may assume an identity gets its tokens, also after a refresh", async () => {
      const first = await world.login.logIn("ada", { identity: ci });
      assert.equal(decodeJwt(first.access_token).sub, ci);
      assert.deepEqual(await seen(first.access_token), ["the folder"]);
      const next = await refreshed(first.refresh_token);
      assert.equal(decodeJwt(next.access_token).sub, ci);
      const last = await refreshed(next.refresh_token, { scope: "roles.list" });
      assert.equal(decodeJwt(last.access_token).sub, ci);
      assert.deepEqual(await seen(last.access_token), []);
    });

    test("existing clients get its token, too", async () => {
      const callback = await redirected("ada", { identity: ci });
      assert.deepEqual([...callback.keys()], ["token"]);
      assert.equal(decodeJwt(callback.get("token") ?? "").sub, ci);
    });

    test("so do tools on other machines", async () => {
      const headless = new HeadlessClient();
      const query = { headless_code: headless.code, idp_id: world.login.provider, identity: ci };
      const url = `${world.server.url}/oauth?${new URLSearchParams(query)}`;
      const browser = new HttpBrowser();
      const confirm = await world.login.signIn(browser, url, "ada");
      await browser.submit(confirm, { decision: "allow" });
      const sealed = await headless.ask(world.server.url);
      assert.ok(sealed);
      assert.equal(decodeJwt(headless.open(sealed)).sub, ci);
    });

    test("a user whom the identity does not trust gets an error, and no session remains", async () => {
      const before = await sessions();
      const denied = await world.login.logIn("bob", { identity: ci });
      assert.deepEqual([denied.status, denied.error], [400, "invalid_grant"]);
      assert.equal(denied.error_description, 'Permission denied: invalid "sub"');
      const callback = await redirected("bob", { identity: ci });
      assert.deepEqual(Object.fromEntries(callback), {
        error: 'Permission denied: invalid "sub"',
        status_code: "403",
      });
      const missing = await redirected("bob", { identity: `${folder}/0123456789abcdef` });
      assert.equal(missing.get("error"), 'Permission denied: invalid "identity"');
      assert.equal(await sessions(), before);
    });

    test("a session cannot refresh for an identity that no longer trusts its user", async () => {
      const first = await world.login.logIn("ada", { identity: ci });
      const path = `/iam/v2beta1/identities/${ci}`;
      const { claimMatch } = (await world.http.get(path)).body;
      await world.http.patch(path, { claimMatch: { ...claimMatch, subject: "someone else" } });
      const denied = await refreshed(first.refresh_token);
      assert.equal(denied.error_description, 'Permission denied: invalid "sub"');
      await world.http.patch(path, { claimMatch });
      assert.equal(decodeJwt((await refreshed(first.refresh_token)).access_token).sub, ci);
    });

    test("naming your own identity is a plain sign-in", async () => {
      const own = decodeJwt((await world.login.logIn("ada")).access_token).sub ?? "";
      const { access_token } = await world.login.logIn("ada", { identity: own });
      assert.equal(decodeJwt(access_token).sub, own);
    });

    test("an identity without a tool to get its token is rejected", async () => {
      const page = await new HttpBrowser().open(`${world.server.url}/oauth?identity=${ci}`);
      assert.equal(page.status, 400);
      assert.match(page.text, /Identity needs an address/);
    });

    test("scopes are names, too, which are resolved once", async () => {
      for (const scope of ["the%20folder", "the+folder", `openid ${folder}`]) {
        const { access_token } = await world.login.logIn("ada", { scope });
        assert.deepEqual(await seen(access_token), ["the folder"], scope);
      }
      const other = await world.login.logIn("ada", { scope: "other" });
      assert.deepEqual(await seen(other.access_token), ["other"]);
      await world.http.patch(`/iam/v2beta1/groups/${folder}`, { name: "other" });
      const { access_token } = await refreshed(other.refresh_token);
      assert.deepEqual(await seen(access_token), ["other"], "one of two groups of this name");
      await world.http.patch(`/iam/v2beta1/groups/${folder}`, { name: "the folder" });
      const assumed = await world.login.logIn("ada", { identity: ci, scope: "the%20folder" });
      assert.deepEqual(await seen(assumed.access_token), ["the folder"]);
      const before = await sessions();
      const callback = await redirected("ada", { scope: "nothing" });
      assert.match(callback.get("error") ?? "", /"nothing" is not a group in which the identity/);
      const hidden = await world.login.logIn("ada", { identity: ci, scope: "other" });
      assert.match(hidden.error_description, /"other" is not a group in which the identity/);
      assert.equal(await sessions(), before);
    });
  });
}
