/** The sign-in page shows the ways that exist, and every page leads on. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { builtinRole } from "@wharf/contract";
import { HttpBrowser, type Visited } from "./support/browser/http-browser.ts";
import { SoftPasskey } from "./support/browser/soft-passkey.ts";
import { STORES } from "./support/server/test-server.ts";
import { PASSWORD } from "./support/world/local-accounts.ts";
import { World } from "./support/world/world.ts";

/** The methods that a sign-in page offers. */
function waysOf({ text }: Visited): Record<string, boolean> {
  return {
    password: text.includes('name="password"'),
    passkey: text.includes('data-passkey="get"'),
    forgotten: text.includes('href="/reset"'),
    providers: text.includes('name="provider"'),
    organization: text.includes('name="organization"'),
    setup: text.includes('href="/setup"'),
  };
}

const NOTHING = {
  password: false,
  passkey: false,
  forgotten: false,
  providers: false,
  organization: false,
  setup: false,
};

/** The main link of a page that ends a flow. */
function nextOf({ text }: Visited): string | undefined {
  return /<a class="button[^"]*" href="([^"]*)"/.exec(text)?.[1];
}

for (const store of STORES) {
  describe(`ways to sign in, on ${store}`, () => {
    let world: World;
    before(async () => {
      world = await World.start({ store });
    });
    after(() => world.stop());

    const signIn = () => new HttpBrowser().open(`${world.accounts.url}/account`);

    test("a server that is not set up leads to its setup", async () => {
      const page = await signIn();
      assert.deepEqual(waysOf(page), { ...NOTHING, setup: true });
      assert.equal(nextOf(page), "/setup");
    });

    test("setup ends with a way to sign in, which then asks for the password only", async () => {
      const done = await world.accounts.setUp();
      assert.match(done.text, /Wharf is set up/);
      assert.match(done.text, new RegExp(`wharf auth login --api ${world.server.url}<`));
      assert.equal(nextOf(done), "/console/");
      assert.deepEqual(waysOf(await signIn()), { ...NOTHING, password: true, forgotten: true });
    });

    test("a verified organization's identity provider is a button, others are found by name", async () => {
      const uid = await world.organization("sso.example");
      await world.operator().groups.update(uid, { verified: true });
      const oidc = { issuer: "https://sso.example", clientId: "wharf", clientSecret: "secret" };
      await world.post(`identityProviders/${uid}`, {
        name: "example sso",
        defaultRole: builtinRole("viewer")?.uid,
        oidc,
      });
      const page = await signIn();
      const all = { password: true, forgotten: true, providers: true, organization: true };
      assert.deepEqual(waysOf(page), { ...NOTHING, ...all });
      assert.match(page.text, /Continue with example sso <small>sso\.example<\/small>/);
      assert.match(page.text, /<details>\s*<summary>Another organization/);
      const browser = new HttpBrowser();
      const opened = await browser.open(`${world.accounts.url}/account`);
      const form = { action: "/oauth/provider" };
      const again = await browser.submit(opened, { organization: "nobody" }, form);
      assert.match(again.text, /<details open>/);
    });

    test("a reset ends with a way to sign in", async () => {
      const code = (await world.server.admin("reset-account", "ada")).trim();
      const browser = new HttpBrowser();
      const page = await browser.open(`${world.accounts.url}/reset`);
      assert.match(page.text, /wharf admin reset-account/);
      const password = `new ${PASSWORD}`;
      const form = { code, password, password_again: password };
      const done = await browser.submit(page, form);
      assert.match(done.text, /Account reset/);
      assert.equal(nextOf(done), "/console/sign-in");
    });

    test("an invite names the organization of its folder", async () => {
      const api = world.operator();
      const folder = await world.group(await world.organization("umbrella"), "platform");
      const invite = { roleUid: builtinRole("viewer")?.uid, ttl: "3600s" };
      const { code } = await api.groupInvites.create(folder, invite);
      const page = await new HttpBrowser().open(
        `${world.accounts.url}/oauth?invite=${encodeURIComponent(code)}`,
      );
      assert.match(page.text, /invited to <strong>umbrella \/ platform<\/strong>/);
    });

    test("errors of pages lead on", async () => {
      const at = (path: string) => new HttpBrowser().open(world.accounts.url + path);
      const ended = await at("/oauth/continue?login=x");
      assert.deepEqual([ended.status, nextOf(ended)], [403, "/console/sign-in"]);
      const isSetUp = await at("/setup");
      assert.deepEqual([isSetUp.status, nextOf(isSetUp)], [404, "/"]);
    });

    test("a path that nothing handles is a page for browsers, and JSON for others", async () => {
      const get = async (path: string, accept: string, method = "GET") => {
        const response = await fetch(world.server.url + path, { method, headers: { accept } });
        return { response, text: await response.text() };
      };
      const html = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";
      for (const [path, status] of [
        ["/nowhere", 404],
        ["/oauth/local", 405],
        ["/iam/v2beta1/roles:nothing", 404],
      ] as const) {
        const { response, text } = await get(path, html);
        assert.equal(response.status, status);
        assert.match(response.headers.get("content-type") ?? "", /^text\/html/);
        assert.match(response.headers.get("content-security-policy") ?? "", /default-src 'none'/);
        assert.match(text, /<a class="button" href="\/">Start page<\/a>/);
        assert.ok(text.includes(response.headers.get("x-request-id") ?? "?"));
        for (const accept of ["*/*", "application/json"]) {
          const plain = await get(path, accept);
          assert.equal(plain.response.status, status);
          assert.equal(plain.response.headers.get("content-type"), "application/json");
          assert.equal(JSON.parse(plain.text).code, status === 404 ? 5 : 12);
        }
      }
      const api = await get("/iam/v2beta1/groups", html);
      assert.deepEqual([api.response.status, JSON.parse(api.text).code], [401, 16]);
    });
  });
}

test("with passkeys only, the sign-in page has no password", async (t) => {
  const world = await World.start();
  t.after(() => world.stop());
  const passkey = new SoftPasskey(world.accounts.url);
  assert.equal((await world.accounts.setUpWithPasskey(passkey)).status, 200);
  const page = await new HttpBrowser().open(`${world.accounts.url}/account`);
  assert.deepEqual(waysOf(page), { ...NOTHING, passkey: true, forgotten: true });
});
