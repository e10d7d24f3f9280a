import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { HttpBrowser } from "./support/browser/http-browser.ts";
import { type PasskeyFault, SoftPasskey } from "./support/browser/soft-passkey.ts";
import { rawRows } from "./support/server/direct-store.ts";
import { STORES } from "./support/server/test-server.ts";
import { World } from "./support/world/world.ts";

const REFUSED = { status: 401, body: { error: "This passkey was not accepted." } };
const SPENT = {
  status: 403,
  body: {
    error: "This passkey request has expired, was already used, or was started in another browser.",
  },
};

for (const store of STORES) {
  describe(`sign-in with a passkey, on ${store}`, () => {
    let world: World;
    let passkey: SoftPasskey;
    before(async () => {
      world = await World.start({ store });
      passkey = new SoftPasskey(world.accounts.url);
      const made = await world.accounts.setUpWithPasskey(passkey);
      assert.deepEqual(made, { status: 200, body: { redirect: "/setup/done" } });
    });
    after(() => world.stop());

    const options = (given: { browser: HttpBrowser; login: string }) =>
      given.browser.send(`${world.accounts.url}/oauth/passkey/options`, { login: given.login });
    const verify = (browser: HttpBrowser, sent: object) =>
      browser.send(`${world.accounts.url}/oauth/passkey/verify`, sent);

    test("works repeatedly, and advances the counter", async () => {
      for (let use = 1; use <= 2; use++) {
        const { tokens } = await world.accounts.tryPasskey(passkey);
        assert.equal((await world.accounts.whoAmI(tokens)).capabilities[0].role.name, "owner");
        const [row] = await rawRows<{ counter: number | string }>(
          world.server,
          "SELECT counter FROM passkeys",
        );
        assert.equal(Number(row?.counter), use);
      }
    });

    test("requires user verification, and does not reveal who has a passkey", async () => {
      const begun = await world.accounts.begin();
      const { body } = await options(begun);
      assert.equal(body.options.userVerification, "required");
      assert.equal(body.options.rpId, "localhost");
      assert.deepEqual(body.options.allowCredentials ?? [], []);
      begun.app.stop();
    });

    const twists: [what: string, fault: () => PasskeyFault][] = [
      ["from another site", () => ({ origin: "https://evil.example" })],
      ["from another port", () => ({ origin: "http://localhost:1" })],
      ["for another name", () => ({ rpId: "evil.example" })],
      ["for another challenge", () => ({ challenge: Buffer.alloc(32).toString("base64url") })],
      ["without a finger or PIN", () => ({ verified: false })],
      ["whose counter goes back", () => ({ counter: 1 })],
      [
        "for somebody else",
        () => ({ userHandle: Buffer.from("0".repeat(40)).toString("base64url") }),
      ],
      ["without saying for whom", () => ({ userHandle: "" })],
      ["with a wrong signature", () => ({ spoilSignature: true })],
      ["that was made, not used", () => ({ type: "webauthn.create" })],
      ["that nobody has", () => ({ credentialId: Buffer.alloc(16).toString("base64url") })],
      ["with an id that is none", () => ({ credentialId: "'\0--" })],
    ];
    for (const [what, fault] of twists) {
      test(`is rejected with an assertion ${what}`, async () => {
        assert.deepEqual((await world.accounts.tryPasskey(passkey, fault())).answer, REFUSED);
      });
    }

    test("is rejected with another user's passkey", async () => {
      const stranger = new SoftPasskey(world.accounts.url);
      const fault = { credentialId: passkey.credentialId };
      assert.deepEqual((await world.accounts.tryPasskey(stranger, fault)).answer, REFUSED);
    });

    test("is rejected with malformed assertions", async () => {
      for (const response of [undefined, null, 1, "x", [], {}, { id: passkey.credentialId }]) {
        const begun = await world.accounts.begin();
        const { challengeId } = (await options(begun)).body;
        const answer = await verify(begun.browser, { login: begun.login, challengeId, response });
        assert.deepEqual(answer, REFUSED, JSON.stringify(response));
        begun.app.stop();
      }
    });

    test("verifies an assertion once, and allows a retry after a bad one", async () => {
      const begun = await world.accounts.begin();
      const { browser, login, app } = begun;
      const asked = (await options(begun)).body;
      const bad = passkey.get(asked.options, { spoilSignature: true });
      const { challengeId } = asked;
      assert.deepEqual(await verify(browser, { login, challengeId, response: bad }), REFUSED);
      const good = passkey.get(asked.options);
      assert.deepEqual(await verify(browser, { login, challengeId, response: good }), SPENT);

      const next = (await options(begun)).body;
      const sent = { login, challengeId: next.challengeId, response: passkey.get(next.options) };
      const { status, body } = await verify(browser, sent);
      assert.equal(status, 200);
      const replayed = await verify(browser, sent);
      assert.equal(replayed.status, 403);
      const page = await browser.open(`${world.accounts.url}${body.redirect}`, app.redirectUri);
      assert.ok(page.url.startsWith(app.redirectUri));
      const twice = await browser.open(`${world.accounts.url}${body.redirect}`);
      assert.equal(twice.status, 403, "the address that it goes on at is good once");
      app.stop();
    });

    test("is rejected for the challenge of another sign-in, in this browser and in another", async () => {
      const mine = await world.accounts.begin();
      const { body } = await options(mine);
      const response = passkey.get(body.options);
      const other = await world.accounts.begin();
      const { challengeId } = body;
      const swapped = { login: other.login, challengeId, response };
      assert.deepEqual(await verify(other.browser, swapped), SPENT);

      const again = (await options(mine)).body;
      const stolen = { login: mine.login, challengeId: again.challengeId };
      const elsewhere = await verify(other.browser, {
        ...stolen,
        response: passkey.get(again.options),
      });
      assert.equal(elsewhere.status, 403, "the login is not of this browser");

      const page = await mine.browser.open(mine.app.loginUrl());
      const second = /name="login" value="([^"]*)"/.exec(page.text)?.[1] ?? "";
      const third = (await options(mine)).body;
      const crossed = { challengeId: third.challengeId, response: passkey.get(third.options) };
      assert.deepEqual(await verify(mine.browser, { login: second, ...crossed }), SPENT);
      for (const { app } of [mine, other]) app.stop();
    });

    test("is rejected without cookies, and for cross-site forms", async () => {
      const begun = await world.accounts.begin();
      const form = await fetch(`${world.accounts.url}/oauth/passkey/options`, {
        method: "POST",
        body: new URLSearchParams({ login: begun.login }),
      });
      assert.equal(form.status, 400);
      // A form of another site can have a body of JSON, but not its content type.
      const at = `${world.accounts.url}/oauth/passkey/options`;
      for (const [type, status] of [
        ["text/plain", 400],
        ["text/plain; x=application/json", 400],
        ["application/json; charset=utf-8", 200],
      ] as const) {
        const sent = await begun.browser.send(at, { login: begun.login }, { "content-type": type });
        assert.equal(sent.status, status, type);
      }
      begun.browser.forget();
      assert.equal((await options(begun)).status, 403);
      begun.app.stop();
    });

    test("writes rejected attempts to the audit log, the first immediately and all by its end", async () => {
      const refusals = () =>
        rawRows<{ resource: string; code: number; detail: string }>(
          world.server,
          "SELECT resource, code, detail FROM audit WHERE method = 'login refused'",
        );
      assert.ok((await refusals()).length > 0);
      await world.server.terminate();
      const rows = await refusals();
      const counts = rows.map(({ detail }) => JSON.parse(detail || "{}").count ?? 1);
      assert.ok(counts.reduce((sum, count) => sum + count, 0) > 10);
      assert.ok(rows.every(({ resource, code }) => resource.length === 40 && Number(code) === 16));
    });
  });
}

describe("a server with an IP address as its host", () => {
  test("offers no passkeys, and says why where one could be created", async () => {
    const flags = ["--base-url", "http://192.0.2.1:8080"];
    const world = await World.start({ flags });
    const browser = new HttpBrowser();
    const setup = await browser.open(`${world.server.url}/setup`);
    assert.doesNotMatch(setup.text, /data-passkey/);
    assert.match(setup.text, /Passkeys require a server that is reached by a host name/);
    assert.equal((await world.accounts.setUp()).status, 200);
    const choose = await browser.open(`${world.server.url}/oauth`);
    assert.match(choose.text, /action="\/oauth\/local"/);
    assert.doesNotMatch(choose.text, /data-passkey/);
    const login = /name="login" value="([^"]*)"/.exec(choose.text)?.[1];
    const { status } = await browser.send(`${world.server.url}/oauth/passkey/options`, { login });
    assert.equal(status, 400);
    await world.stop();
  });
});
