import assert from "node:assert/strict";
import { after, afterEach, before, beforeEach, describe, test } from "node:test";
import { HttpBrowser, type Visited } from "./support/browser/http-browser.ts";
import { SoftPasskey } from "./support/browser/soft-passkey.ts";
import { Http } from "./support/client/http.ts";
import { STORES } from "./support/server/test-server.ts";
import { alertOf, firstRunOf, jsonLog, NOBODY, PASSWORD } from "./support/world/local-accounts.ts";
import { World } from "./support/world/world.ts";

const WRONG_CODE = "The code is wrong or has expired: restart the server to get a new one.";

/** A later attempt finds the setup complete, or the code spent. */
function onlyOne(tries: readonly Visited[]): void {
  const failed = tries.filter(({ status }) => status !== 200);
  assert.equal(failed.length, tries.length - 1);
  for (const page of failed) {
    assert.match(alertOf(page), /^(This installation is already set up|The code is wrong)/);
  }
}

/** All have the form before any is sent: once the setup is complete, there is none. */
async function setUpConcurrently(
  attempts: readonly { world: World; given: Record<string, string> }[],
): Promise<Visited[]> {
  const forms = await Promise.all(
    attempts.map(async ({ world, given }) => ({ submit: await world.accounts.openSetup(), given })),
  );
  return Promise.all(forms.map(({ submit, given }) => submit(given)));
}

for (const store of STORES) {
  describe(`setting up, on ${store}`, () => {
    let world: World;
    before(async () => {
      world = await World.start({ store });
    });
    after(() => world.stop());

    const slips: [what: string, given: Record<string, string>, said: RegExp][] = [
      ["a code that was never printed", { code: "BBBB-CCCC-DDDD-FFFF-GGGG" }, /^The code is wrong/],
      ["no code", { code: "" }, /^The code is wrong/],
      ["an organization that no group could be called", { organization: "ACME!" }, /organization/],
      ["no organization", { organization: "" }, /organization/],
      ["a username with a space", { username: "ada l" }, /^A username starts/],
      ["a short password", { password: "elevenchars" }, /at least 12 characters/],
      [
        "a password that is long beyond reason",
        { password: "x".repeat(1025) },
        /at most 1024 bytes/,
      ],
      [
        "the username as password",
        { username: "ada.lovelace", password: "Ada.Lovelace" },
        /name of/,
      ],
      [
        "the organization as password",
        { organization: "acme limited", password: "ACME limited" },
        /name of/,
      ],
      ["two passwords", { password: PASSWORD, password_again: `${PASSWORD}r` }, /do not match/],
    ];
    for (const [what, given, said] of slips) {
      test(`is rejected with ${what}, and nothing changes`, async () => {
        const page = await world.accounts.setUp(given);
        assert.equal(page.status, 400);
        assert.match(alertOf(page), said);
        assert.match(page.text, /action="\/setup"/, "the form is there to be filled in again");
        if (given.password) assert.ok(!page.text.includes(given.password));
        assert.deepEqual(await world.accounts.counts(), NOBODY);
      });
    }

    test("with a passkey is rejected with a wrong code, and nothing changes", async () => {
      const browser = new HttpBrowser();
      await browser.open(`${world.accounts.url}/setup`);
      const asked = { code: "BBBB-CCCC-DDDD-FFFF-GGGG", organization: "acme", username: "ada" };
      const answer = await browser.send(`${world.accounts.url}/setup/passkey/options`, asked);
      assert.deepEqual(answer, { status: 400, body: { error: WRONG_CODE } });
    });

    test("with a passkey is rejected in another browser, cross-site, and without user verification", async () => {
      const { code } = await firstRunOf(world.server);
      const asked = { code, organization: "acme", username: "ada" };
      const browser = new HttpBrowser();
      const strange = await browser.send(`${world.accounts.url}/setup/passkey/options`, asked);
      assert.equal(strange.status, 403, "without the cookie of the page");
      await browser.open(`${world.accounts.url}/setup`);
      const { body } = await browser.send(`${world.accounts.url}/setup/passkey/options`, asked);
      const passkey = new SoftPasskey(world.accounts.url);
      const sent = { code, challengeId: body.challengeId, response: passkey.create(body.options) };
      const other = new HttpBrowser();
      await other.open(`${world.accounts.url}/setup`);
      const elsewhere = await other.send(`${world.accounts.url}/setup/passkey/verify`, sent);
      assert.equal(elsewhere.status, 403);
      const again = await browser.send(`${world.accounts.url}/setup/passkey/verify`, sent);
      assert.equal(again.status, 403, "an answer is looked at once");
      for (const fault of [
        { origin: "https://evil.example" },
        { origin: world.server.url },
        { rpId: "evil.example" },
        { verified: false },
        { challenge: "AAAA" },
        { type: "webauthn.get" },
      ]) {
        const refused = await world.accounts.setUpWithPasskey(
          new SoftPasskey(world.accounts.url),
          fault,
        );
        const error = "This passkey was not accepted.";
        assert.deepEqual(refused, { status: 401, body: { error } }, JSON.stringify(fault));
      }
      assert.deepEqual(await world.accounts.counts(), NOBODY);
    });

    test("prints a new setup code at each start, all valid until one is used", async () => {
      const { code } = await firstRunOf(world.server);
      await world.server.terminate();
      await world.server.restart();
      const next = (await firstRunOf(world.server)).code;
      assert.notEqual(next, code);
      const attempts = [
        { code, username: "ada" },
        { code: next, username: "bob" },
        { code, username: "eve" },
      ];
      onlyOne(await setUpConcurrently(attempts.map((given) => ({ world, given }))));
      const one = { groups: 1, identities: 1, role_bindings: 1, local_accounts: 1, passkeys: 0 };
      assert.deepEqual(await world.accounts.counts(), one);
      for (const secret of [code, next, PASSWORD]) {
        assert.ok(!jsonLog(world.server).includes(secret));
      }
    });

    test("is disabled afterwards: no pages, no setup code", async () => {
      const browser = new HttpBrowser();
      const page = await browser.open(`${world.accounts.url}/setup`);
      assert.equal(page.status, 404);
      assert.equal(
        alertOf(page),
        "This installation is already set up: sign in, or ask its operator for an invite.",
      );
      const answer = await browser.send(`${world.accounts.url}/setup/passkey/options`, {});
      assert.equal(answer.status, 404);
      await world.server.terminate();
      await world.server.restart();
      await fetch(`${world.server.url}/healthz`);
      assert.doesNotMatch(world.server.log, /first run/);
    });
  });

  describe(`an organization created by the operator, on ${store}`, () => {
    let world: World;
    beforeEach(async () => {
      world = await World.start({ store });
    });
    afterEach(() => world.stop());

    test("ends the first run and its setup codes", async () => {
      const { code } = await firstRunOf(world.server);
      const operator = new Http(world.server.url, await world.server.token());
      const setup = await new HttpBrowser().open(`${world.accounts.url}/setup`);
      assert.equal((await operator.post("/iam/v2beta1/groups", { name: "acme" })).status, 200);
      const page = await new HttpBrowser().submit(setup, { code, organization: "mine" });
      assert.equal(page.status, 404);
      assert.deepEqual(await world.accounts.counts(), { ...NOBODY, groups: 1 });
    });
  });
}

describe("two replicas that are set up at the same time", () => {
  test("admit one user", async () => {
    const first = await World.start({ store: "postgres" });
    const second = await World.start({ store: "postgres", sameStoreAs: first.server });
    try {
      const codes = [await firstRunOf(first.server), await firstRunOf(second.server)];
      const attempts = [first, second].flatMap((world) =>
        codes.map(({ code }, at) => ({ world, given: { code, username: `person-${at}` } })),
      );
      onlyOne(await setUpConcurrently(attempts));
      assert.equal((await first.accounts.counts()).groups, 1);
      assert.equal((await first.accounts.counts()).local_accounts, 1);
    } finally {
      await second.stop();
      await first.stop();
    }
  });
});
