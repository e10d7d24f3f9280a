import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { builtinRole } from "@wharf/contract";
import { HttpBrowser, type Visited } from "./support/browser/http-browser.ts";
import { SoftPasskey } from "./support/browser/soft-passkey.ts";
import { Http } from "./support/client/http.ts";
import { exchange } from "./support/client/tokens.ts";
import { rawRows } from "./support/server/direct-store.ts";
import { STORES } from "./support/server/test-server.ts";
import { alertOf, PASSWORD } from "./support/world/local-accounts.ts";
import { World } from "./support/world/world.ts";

const OVER = "The invite has expired or was already used.";

for (const store of STORES) {
  describe(`accepting an invite with a local account, on ${store}`, () => {
    let world: World;
    let operator: Http;
    let group: string;
    before(async () => {
      world = await World.start({ store });
      operator = new Http(world.server.url, await world.server.token());
      group = (await operator.post("/iam/v2beta1/groups", { name: "acme" })).body.uid;
    });
    after(() => world.stop());

    async function invite(given: object = {}): Promise<string> {
      const { status, body } = await operator.post(`/iam/v2beta1/groupInvites/${group}`, {
        roleUid: builtinRole("viewer")?.uid,
        ttl: "3600s",
        singleUse: true,
        ...given,
      });
      assert.equal(status, 200, JSON.stringify(body));
      return body.code;
    }

    /** Opens the form for a new account. */
    async function openForm(code: string): Promise<{ browser: HttpBrowser; form: Visited }> {
      const browser = new HttpBrowser();
      const page = await browser.open(
        `${world.accounts.url}/oauth?invite=${encodeURIComponent(code)}`,
      );
      return { browser, form: await browser.submit(page, {}, { action: "/oauth/account" }) };
    }

    const fields = (username: string) => ({
      username,
      password: PASSWORD,
      password_again: PASSWORD,
    });

    test("creates an account with the role of the invite, and spends the invite", async () => {
      const code = await invite();
      const { browser, form } = await openForm(code);
      assert.match(form.text, /You join <strong>acme<\/strong> as <strong>viewer</);
      const slip = await browser.submit(form, { ...fields("bob"), password: "short" });
      assert.deepEqual(
        [slip.status, alertOf(slip)],
        [400, "A password must have at least 12 characters."],
      );
      assert.match(slip.text, /value="bob"/);
      const done = await browser.submit(slip, fields("bob"));
      assert.match(done.text, /<h1>Invite accepted<\/h1>/);
      const { tokens } = await world.accounts.tryPassword("bob", PASSWORD);
      const { capabilities } = await world.accounts.whoAmI(tokens);
      assert.deepEqual(
        capabilities.map((one: { group: { name: string }; role: { name: string } }) => [
          one.group.name,
          one.role.name,
        ]),
        [["acme", "viewer"]],
      );
      const before = await world.accounts.counts();
      const again = await new HttpBrowser().open(
        `${world.accounts.url}/oauth?invite=${encodeURIComponent(code)}`,
      );
      assert.deepEqual([again.status, alertOf(again)], [403, OVER]);
      assert.deepEqual(await world.accounts.counts(), before);
    });

    test("completes the sign-in of the client that started it", async () => {
      const { app, browser, page } = await world.accounts.begin({ invite: await invite() });
      const form = await browser.submit(page, {}, { action: "/oauth/account" });
      const how = { until: app.redirectUri };
      const done = await browser.submit(form, fields("carol"), how);
      assert.ok(done.url.startsWith(app.redirectUri), done.text);
      const tokens = await app.redeem(new URL(done.url).searchParams);
      assert.equal((await world.accounts.whoAmI(tokens)).capabilities[0].role.name, "viewer");
      app.stop();
    });

    test("creates an account with a passkey", async () => {
      const { browser, form } = await openForm(await invite());
      const login = /name="login" value="([^"]*)"/.exec(form.text)?.[1] ?? "";
      const at = `${world.accounts.url}/oauth/account/passkey`;
      const taken = await browser.send(`${at}/options`, { login, username: "Bob" });
      assert.deepEqual(taken, { status: 409, body: { error: "This username is taken." } });
      const { body } = await browser.send(`${at}/options`, { login, username: "dave" });
      const passkey = new SoftPasskey(world.accounts.url);
      const { challengeId } = body;
      const response = passkey.create(body.options);
      const signIn = await browser.send(`${world.accounts.url}/oauth/passkey/verify`, {
        login,
        challengeId,
        response,
      });
      assert.equal(signIn.status, 403, "a challenge for one thing is no good for another");
      const answer = await browser.send(`${at}/verify`, { login, challengeId, response });
      assert.equal(answer.status, 200, JSON.stringify(answer.body));
      const page = await browser.open(`${world.accounts.url}${answer.body.redirect}`);
      assert.match(page.text, /<h1>Invite accepted<\/h1>/);
      const { tokens } = await world.accounts.tryPasskey(passkey);
      assert.equal((await world.accounts.whoAmI(tokens)).profile.name, "dave");
    });

    test("rejects a taken username, ignoring case, and keeps the invite", async () => {
      const code = await invite();
      const { browser, form } = await openForm(code);
      const before = await world.accounts.counts();
      const page = await browser.submit(form, fields("BOB"));
      assert.deepEqual([page.status, alertOf(page)], [400, "This username is taken."]);
      assert.deepEqual(await world.accounts.counts(), before);
      assert.match((await browser.submit(page, fields("erin"))).text, /Invite accepted/);
    });

    test("admits one of two concurrent users of a single-use invite, and stores nothing of the other", async () => {
      const code = await invite();
      const forms = [await openForm(code), await openForm(code)];
      const before = await world.accounts.counts();
      const pages = await Promise.all(
        forms.map(({ browser, form }, at) => browser.submit(form, fields(`racer-${at}`))),
      );
      assert.deepEqual(pages.map(({ status }) => status).sort(), [200, 403]);
      const { identities = 0, local_accounts = 0, role_bindings = 0 } = before;
      const after = await world.accounts.counts();
      assert.deepEqual(
        [after.identities, after.local_accounts, after.role_bindings],
        [identities + 1, local_accounts + 1, role_bindings + 1],
      );
    });

    test("rejects an invite for an e-mail address, since local accounts have no verified one", async () => {
      const code = await invite({ email: "frank@acme.example" });
      const browser = new HttpBrowser();
      const page = await browser.open(
        `${world.accounts.url}/oauth?invite=${encodeURIComponent(code)}`,
      );
      assert.doesNotMatch(page.text, /action="\/oauth\/account"/);
      const login = /name="login" value="([^"]*)"/.exec(page.text)?.[1] ?? "";
      const before = await world.accounts.counts();
      const at = `${world.accounts.url}/oauth/account/passkey/options`;
      const asked = await browser.send(at, { login, username: "frank@acme.example" });
      assert.equal(asked.status, 403);
      const forged = { ...page, text: page.text.replaceAll("/oauth/local", "/oauth/account") };
      const how = { action: "/oauth/account" };
      const refused = await browser.submit(forged, fields("frank@acme.example"), how);
      assert.equal(refused.status, 403);
      assert.match(alertOf(refused), /^The invite is for an email address/);
      assert.deepEqual(await world.accounts.counts(), before);
    });

    test("rejects an account without an invite", async () => {
      const browser = new HttpBrowser();
      const page = await browser.open(`${world.accounts.url}/oauth`);
      const forged = { ...page, text: page.text.replaceAll("/oauth/local", "/oauth/account") };
      const refused = await browser.submit(forged, fields("mallory"), { action: "/oauth/account" });
      assert.deepEqual([refused.status, alertOf(refused)], [403, OVER]);
    });

    test("creates identities that no token exchange can assume", async () => {
      const sql = "SELECT identity FROM local_accounts WHERE username = 'bob'";
      const [row] = await rawRows<{ identity: string }>(world.server, sql);
      const identity = row?.identity ?? "";
      assert.match(identity, /^[0-9a-f]{40}$/);
      const token = await world.server.token();
      const { status } = await exchange(world.server.url, token, {
        aud: world.server.url,
        identity,
      });
      assert.notEqual(status, 200);
    });

    test("deletes the account and its passkeys with the identity", async () => {
      const { tokens } = await world.accounts.tryPassword("bob", PASSWORD);
      const { subject } = await world.accounts.whoAmI(tokens);
      const before = await world.accounts.counts();
      const rest = new Http(world.server.url, tokens?.access_token ?? "");
      assert.equal((await rest.delete(`/auth/v1/delete/${subject}`)).status, 200);
      const after = await world.accounts.counts();
      assert.equal(after.local_accounts, (before.local_accounts ?? 0) - 1);
      assert.equal((await rest.get("/auth/v1/ok")).status, 401);
      assert.equal((await world.accounts.tryPassword("bob", PASSWORD)).tokens, undefined);
      const rows = await rawRows<{ identity: string }>(
        world.server,
        "SELECT identity FROM local_accounts WHERE username = 'dave'",
      );
      const dave = rows[0]?.identity;
      assert.equal((await world.accounts.counts()).passkeys, 1);
      const own = new Http(world.server.url, await world.server.token(dave));
      assert.equal((await own.delete(`/auth/v1/delete/${dave}`)).status, 200);
      assert.equal((await world.accounts.counts()).passkeys, 0);
    });
  });
}
