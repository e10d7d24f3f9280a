import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { redeemChallenge } from "../src/login/local/challenges.ts";
import { deleteTickets } from "../src/store/tables/login/tickets.ts";
import { HttpBrowser, type Visited } from "./support/browser/http-browser.ts";
import { SoftPasskey } from "./support/browser/soft-passkey.ts";
import { Http } from "./support/client/http.ts";
import { DirectStore, rawRows } from "./support/server/direct-store.ts";
import { STORES } from "./support/server/test-server.ts";
import { until } from "./support/until.ts";
import { alertOf, byName, PASSWORD } from "./support/world/local-accounts.ts";
import { World } from "./support/world/world.ts";

const NEW = "another horse, another staple";
const WRONG_CURRENT =
  "Your current password is wrong, or there were too many attempts: wait a while before you try again.";

for (const store of STORES) {
  describe(`the account page, on ${store}`, () => {
    let world: World;
    let password = PASSWORD;
    before(async () => {
      world = await World.start({ store });
      assert.equal((await world.accounts.setUp()).status, 200);
    });
    after(() => world.stop());

    /** Signs in to the account page in a browser of its own. */
    async function visit(): Promise<{ browser: HttpBrowser; page: Visited }> {
      const browser = new HttpBrowser();
      const choose = await browser.open(`${world.accounts.url}/account`);
      const form = { username: "ada", password };
      const page = await browser.submit(choose, form, { action: "/oauth/local" });
      assert.equal(page.url, `${world.accounts.url}/account`);
      assert.match(page.text, /<h1>Your account<\/h1>/);
      return { browser, page };
    }

    const ticketOf = ({ text }: Visited) => /name="login" value="([^"]*)"/.exec(text)?.[1] ?? "";
    const doneOf = ({ text }: Visited) => /role="status">([^<]*)</.exec(text)?.[1] ?? "";

    const actions = async () =>
      (
        await rawRows<{ method: string }>(
          world.server,
          "SELECT method FROM audit WHERE actor <> '' ORDER BY id",
        )
      ).map(({ method }) => method);

    const sessions = () => rawRows<{ id: string }>(world.server, "SELECT id FROM sessions");

    async function works(token: string | undefined): Promise<boolean> {
      return (await new Http(world.server.url, token ?? "").get("/auth/v1/ok")).status === 200;
    }

    async function addPasskey(browser: HttpBrowser, page: Visited, passkey: SoftPasskey) {
      const login = ticketOf(page);
      const at = `${world.accounts.url}/account/passkeys`;
      const { status, body } = await browser.send(`${at}/options`, { login });
      if (status !== 200) return { status, body };
      const response = passkey.create(body.options, {});
      return browser.send(`${at}/verify`, { login, challengeId: body.challengeId, response });
    }

    test("the server URL and /login redirect to it", async () => {
      const browser = new HttpBrowser();
      const welcome = await browser.open(`${world.accounts.url}/`);
      assert.equal(welcome.status, 200);
      assert.match(welcome.text, /href="\/account"/);
      // Only in a clone does npx run our command: the npm package of this name is somebody else's.
      assert.ok(welcome.text.includes(`<code>wharf auth login --api ${world.server.url}`));
      const login = await browser.open(`${world.accounts.url}/login`);
      assert.equal(login.url, `${world.accounts.url}/account`);
      assert.match(login.text, /<h1>Sign in<\/h1>/);
    });

    test("shows the user, and issues no token", async () => {
      const before = await sessions();
      const { page } = await visit();
      assert.match(page.text, /<dt>Name<\/dt><dd>ada<\/dd>/);
      assert.match(page.text, /a local account/);
      assert.deepEqual(await sessions(), before);
      assert.equal((await actions()).at(-1), "account visited");
      const policy = page.headers.get("content-security-policy") ?? "";
      assert.match(policy, /default-src 'none'.*frame-ancestors 'none'/);
      assert.equal(page.headers.get("cache-control"), "no-store");
    });

    test("the cookie is HttpOnly and SameSite=Strict", async () => {
      const browser = new HttpBrowser();
      const choose = await browser.open(`${world.accounts.url}/account`);
      const how = { action: "/oauth/local", until: `${world.accounts.url}/account` };
      const signedIn = await browser.submit(choose, { username: "ada", password }, how);
      const [cookie = ""] = signedIn.headers.getSetCookie();
      assert.match(cookie, /^wharf_account=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict$/);
    });

    test("forms without the CSRF token of the session change nothing", async () => {
      const mine = await visit();
      const other = await visit();
      const before = await rawRows(world.server, "SELECT * FROM local_accounts");
      const form = { current: password, password: NEW, password_again: NEW };
      const action = "/account/password";
      for (const login of ["", "guessed", ticketOf(other.page)]) {
        const refused = await mine.browser.submit(mine.page, { ...form, login }, { action });
        assert.equal(refused.status, 403);
        assert.match(
          refused.text,
          /Your session on this page has expired: open your account and sign in again\./,
        );
      }
      const stranger = await new HttpBrowser().submit(mine.page, form, { action });
      assert.equal(stranger.status, 403, "without the cookie");
      const scripted = await addPasskey(
        new HttpBrowser(),
        mine.page,
        new SoftPasskey(byName(world.server)),
      );
      assert.equal(scripted.status, 403);
      assert.deepEqual(await rawRows(world.server, "SELECT * FROM local_accounts"), before);
    });

    test("changing the password requires the current one, and ends all sessions", async () => {
      const { tokens } = await world.accounts.tryPassword("ada", password);
      assert.ok(await works(tokens?.access_token));
      const { browser, page } = await visit();
      const elsewhere = await visit();
      const action = "/account/password";
      const change = (form: Readonly<Record<string, string>>) =>
        browser.submit(page, { password: NEW, password_again: NEW, ...form }, { action });

      const wrong = await change({ current: "not the right one" });
      assert.deepEqual([wrong.status, alertOf(wrong)], [400, WRONG_CURRENT]);
      const short = await change({ current: password, password: "short", password_again: "short" });
      assert.equal(alertOf(short), "A password must have at least 12 characters.");
      const typo = await change({ current: password, password_again: `${NEW}!` });
      assert.equal(alertOf(typo), "The passwords do not match.");
      assert.ok(await works(tokens?.access_token), "nothing has changed so far");

      const changed = await change({ current: password });
      assert.equal(changed.url, `${world.accounts.url}/account?done=password`);
      assert.equal(doneOf(changed), "Password set. All your sessions have ended.");
      assert.equal(await works(tokens?.access_token), false);
      assert.equal((await world.accounts.tryPassword("ada", password)).tokens, undefined);
      password = NEW;
      assert.ok((await world.accounts.tryPassword("ada", password)).tokens);
      const other = await elsewhere.browser.open(`${world.accounts.url}/account`);
      assert.match(other.text, /<h1>Sign in<\/h1>/, "other visits are over");
      assert.equal(
        (await browser.open(`${world.accounts.url}/account`)).text.includes("Your account"),
        true,
      );
      const noted = await actions();
      assert.ok(noted.includes("password changed"));
    });

    test("wrong current passwords lock the account, as at sign-in", async () => {
      const { browser, page } = await visit();
      const action = "/account/password";
      const form = { password: PASSWORD, password_again: PASSWORD };
      for (let failure = 1; failure <= 5; failure++) {
        await browser.submit(page, { ...form, current: `guess number ${failure}` }, { action });
      }
      const right = await browser.submit(page, { ...form, current: password }, { action });
      assert.deepEqual([right.status, alertOf(right)], [400, WRONG_CURRENT]);
      assert.equal(
        (await world.accounts.tryPassword("ada", password)).tokens,
        undefined,
        "locked there, too",
      );
      const [{ n } = { n: 0 }] = await rawRows<{ n: number | string }>(
        world.server,
        "SELECT count(*) AS n FROM audit WHERE method = 'password change refused' AND code = 16",
      );
      assert.ok(Number(n) >= 6);
      const direct = await DirectStore.open(world.server);
      await direct.store.write((tx) =>
        tx.run("UPDATE local_accounts SET failures = 0, locked_until = 0"),
      );
      await direct.close();
    });

    test("sessions are listed and ended, one or all", async () => {
      const first = (await world.accounts.tryPassword("ada", password)).tokens;
      const second = (await world.accounts.tryPassword("ada", password)).tokens;
      const { browser, page } = await visit();
      const [newest] = [...page.text.matchAll(/name="session" value="([^"]*)"/g)];
      const action = "/account/sessions/end";
      const one = await browser.submit(page, { session: newest?.[1] ?? "" }, { action });
      assert.equal(doneOf(one), "Session ended.");
      assert.deepEqual(
        [await works(first?.access_token), await works(second?.access_token)],
        [true, false],
      );

      const foreign = await browser.submit(page, { session: "no such session" }, { action });
      assert.equal(doneOf(foreign), "Session ended.", "what is gone is what was wanted");
      const all = await browser.submit(one, {}, { action: "/account/sessions/end-all" });
      assert.equal(doneOf(all), "All your sessions have ended.");
      assert.match(all.text, /No active sessions\./);
      assert.equal(await works(first?.access_token), false);
      assert.deepEqual((await actions()).slice(-2), [
        "wharf.auth.SessionsService/EndSession",
        "wharf.auth.SessionsService/Logout",
      ]);
    });

    test("a challenge that another replica has redeemed adds no passkey", async () => {
      const { browser, page } = await visit();
      const login = ticketOf(page);
      const at = `${world.accounts.url}/account/passkeys`;
      const { challengeId, options } = (await browser.send(`${at}/options`, { login })).body;
      const direct = await DirectStore.open(world.server);
      await direct.store.write((tx) => redeemChallenge(tx, challengeId, Date.now()));
      await direct.close();
      const response = new SoftPasskey(byName(world.server)).create(options, {});
      const { status } = await browser.send(`${at}/verify`, { login, challengeId, response });
      assert.equal(status, 403);
      assert.deepEqual(await rawRows(world.server, "SELECT * FROM passkeys"), []);
    });

    test("passkeys are added, named and removed, but not the last credential", async () => {
      const passkey = new SoftPasskey(byName(world.server));
      const { browser, page } = await visit();
      const added = await addPasskey(browser, page, passkey);
      assert.deepEqual([added.status, added.body], [200, { redirect: "/account?done=added" }]);
      assert.ok((await world.accounts.tryPasskey(passkey)).tokens);
      const again = await addPasskey(browser, page, passkey);
      assert.equal(again.status, 401, "the same one twice");

      const [row] = await rawRows<{ credential_id: string }>(
        world.server,
        "SELECT * FROM passkeys",
      );
      const id = row?.credential_id ?? "";
      const naming = { action: "/account/passkeys/name" };
      const listed = await browser.open(`${world.accounts.url}/account`);
      const named = await browser.submit(listed, { passkey: id, name: " the blue key " }, naming);
      assert.equal(doneOf(named), "Passkey renamed.");
      assert.match(named.text, /value="the blue key"/);
      for (const name of ["", " ", "x".repeat(65), "a\u0000b", "a\u202eb"]) {
        const refused = await browser.submit(listed, { passkey: id, name }, naming);
        assert.equal(refused.status, 400, JSON.stringify(name));
      }
      const direct = await DirectStore.open(world.server);
      await direct.store.write((tx) => tx.run("UPDATE local_accounts SET password_hash = ''"));
      const remove = (which: string) => {
        const shown = {
          ...page,
          text: `<form method="post" action="/account/passkeys/remove"></form>`,
        };
        return browser.submit(shown, { login: ticketOf(page), passkey: which });
      };
      const last = await remove(id);
      assert.deepEqual(
        [last.status, alertOf(last)],
        [400, "This is your only way to sign in: set a password or add another passkey first."],
      );
      assert.equal((await rawRows(world.server, "SELECT * FROM passkeys")).length, 1);

      const second = new SoftPasskey(byName(world.server));
      assert.equal((await addPasskey(browser, page, second)).status, 200);
      assert.match(doneOf(await remove(id)), /^Passkey removed\./);
      assert.equal((await remove(id)).status, 400, "it is gone");
      assert.equal((await world.accounts.tryPasskey(passkey)).answer.status, 401);
      assert.ok((await world.accounts.tryPasskey(second)).tokens);

      const set = { password: PASSWORD, password_again: PASSWORD };
      const first = await browser.submit(page, set, { action: "/account/password" });
      assert.equal(doneOf(first), "Password set. All your sessions have ended.");
      password = PASSWORD;
      const noted = await actions();
      for (const action of ["passkey added", "passkey renamed", "passkey removed"]) {
        assert.ok(noted.includes(action), action);
      }
      await direct.close();
    });

    // SQLite has one writer at a time, in whose process nothing else waits.
    if (store === "postgres") {
      test("a form whose account session ends while it waits changes nothing", async (t) => {
        const session = (await world.accounts.tryPassword("ada", password)).tokens;
        const direct = await DirectStore.open(world.server);
        t.after(() => direct.close());
        const isWaiting = async () => {
          const sql = `SELECT 1 FROM pg_stat_activity
            WHERE wait_event_type = 'Lock' AND datname = current_database()`;
          return (await direct.store.reader.get(sql)) !== undefined;
        };
        const hashes = () => rawRows(world.server, "SELECT password_hash FROM local_accounts");
        const names = () => rawRows(world.server, "SELECT credential_id, name FROM passkeys");
        const before = [await hashes(), await names()];
        const change = { current: password, password: NEW, password_again: NEW };
        for (const [action, form] of [
          ["/account/password", change],
          ["/account/passkeys/name", { name: "another name" }],
          ["/account/sessions/end", {}],
          ["/account/sessions/end-all", {}],
        ] as const) {
          const { browser, page } = await visit();
          const [held, release] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
          const ending = direct.store.write(async (tx) => {
            await deleteTickets(tx, "account visit");
            held.resolve();
            await release.promise;
          });
          await held.promise;
          let isDone = false;
          const sending = browser.submit(page, form, { action }).finally(() => {
            isDone = true;
          });
          await until(async () => isDone || (await isWaiting()), 5);
          release.resolve();
          await ending;
          assert.equal((await sending).status, 403, action);
        }
        assert.deepEqual([await hashes(), await names()], before);
        assert.ok(await works(session?.access_token));
      });
    }

    test("signing out, a reset and deletion end the account session", async () => {
      const left = await visit();
      const bye = await left.browser.submit(left.page, {}, { action: "/account/leave" });
      assert.match(bye.text, /Signed out/);
      assert.match(
        (await left.browser.open(`${world.accounts.url}/account`)).text,
        /<h1>Sign in<\/h1>/,
      );

      const { browser, page } = await visit();
      const offer = await world.server.admin("reset-account", "ada");
      const code = /(?:[A-Z]{4}-){4}[A-Z]{4}/.exec(offer)?.[0] ?? "";
      const other = new HttpBrowser();
      const reset = await other.open(`${world.accounts.url}/reset`);
      await other.submit(reset, { code, password: NEW, password_again: NEW });
      const form = { current: NEW, password: PASSWORD, password_again: PASSWORD };
      const late = await browser.submit(page, form, { action: "/account/password" });
      assert.equal(late.status, 403);
      password = NEW;

      const last = await visit();
      const direct = await DirectStore.open(world.server);
      await direct.store.write((tx) =>
        tx.run("DELETE FROM identities WHERE uid = (SELECT identity FROM local_accounts)"),
      );
      await direct.close();
      assert.match(
        (await last.browser.open(`${world.accounts.url}/account`)).text,
        /<h1>Sign in<\/h1>/,
      );
    });
  });
}

test("users of a provider list and end their sessions, and have no password", async () => {
  const world = await World.start({ login: true });
  try {
    const visitAs = async (browser: HttpBrowser, person: string) => {
      const choose = await browser.open(`${world.server.url}/account`);
      const provider = { provider: world.login.provider };
      let page = await browser.submit(choose, provider, { action: "/oauth/provider" });
      while (new URL(page.url).pathname.startsWith("/interaction/")) {
        page = await browser.submit(page, { login: person, password: "any" });
      }
      return page;
    };
    const turnedAway = await visitAs(new HttpBrowser(), "bob");
    assert.equal(turnedAway.status, 404, "a user without a sign-in is unknown");
    const { access_token } = await world.login.logIn("ada");
    const browser = new HttpBrowser();
    const page = await visitAs(browser, "ada");
    assert.match(page.text, /<dt>Name<\/dt><dd>ada@acme\.example<\/dd>/);
    assert.match(page.text, /<dd>acme sso<\/dd>/);
    assert.doesNotMatch(page.text, /<h2>Pass/);

    const login = /name="login" value="([^"]*)"/.exec(page.text)?.[1] ?? "";
    const form = `<form method="post" action="/account/password"></form>`;
    const words = { login, current: "", password: NEW, password_again: NEW };
    const refused = await browser.submit({ ...page, text: form }, words);
    assert.equal(refused.status, 403);
    assert.match(refused.text, /Your identity provider manages your password and passkeys\./);

    const all = await browser.submit(page, {}, { action: "/account/sessions/end-all" });
    assert.match(all.text, /No active sessions\./);
    assert.equal((await new Http(world.server.url, access_token).get("/auth/v1/ok")).status, 401);
  } finally {
    await world.stop();
  }
});

test("disabling local accounts ends their account sessions", async () => {
  const world = await World.start();
  try {
    await world.accounts.setUp();
    const browser = new HttpBrowser();
    const choose = await browser.open(`${world.accounts.url}/account`);
    const how = { action: "/oauth/local", until: `${world.accounts.url}/account` };
    const signedIn = await browser.submit(choose, { username: "ada", password: PASSWORD }, how);
    const [cookie = ""] = signedIn.headers.getSetCookie();
    const { server } = world;
    const seen = async () => {
      const answer = await fetch(`${server.url}/account`, { headers: { cookie } });
      return /<h1>([^<]*)</.exec(await answer.text())?.[1];
    };
    assert.equal(await seen(), "Your account");
    await server.terminate();
    await server.restart(["--local-accounts", "off"]);
    assert.equal(await seen(), "Sign in");
  } finally {
    await world.stop();
  }
});
