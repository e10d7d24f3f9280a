import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { SessionsService } from "@wharf/contract";
import { ANONYMOUS } from "../src/auth/caller.ts";
import { PasswordHasher } from "../src/login/local/password.ts";
import { withPassword } from "../src/login/local/password-login.ts";
import type { LoginDeps } from "../src/login/login.ts";
import { findAccount } from "../src/store/tables/login/local-accounts.ts";
import type { HttpBrowser } from "./support/browser/http-browser.ts";
import { callOf, DirectStore, rawRows } from "./support/server/direct-store.ts";
import { STORES } from "./support/server/test-server.ts";
import { alertOf, jsonLog, PASSWORD } from "./support/world/local-accounts.ts";
import { World } from "./support/world/world.ts";

const WRONG =
  "The username or password is wrong, or there were too many attempts: wait a while before you try again.";

/** "password", made with less effort by the reference implementation. */
const OLD_HASH =
  "$argon2id$v=19$m=256,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4";

interface Account {
  readonly password_hash: string;
  readonly failures: number | string;
  readonly locked_until: number | string;
}

for (const store of STORES) {
  describe(`sign-in with a password, on ${store}`, () => {
    let world: World;
    before(async () => {
      world = await World.start({ store });
      assert.equal((await world.accounts.setUp()).status, 200);
    });
    after(() => world.stop());

    const account = async () =>
      (await rawRows<Account>(world.server, "SELECT * FROM local_accounts"))[0] as Account;

    async function change(sql: string): Promise<void> {
      const direct = await DirectStore.open(world.server);
      await direct.store.write((tx) => tx.run(`UPDATE local_accounts SET ${sql}`));
      await direct.close();
    }

    test("ignores the case of the username, and names the issuer", async () => {
      const { tokens } = await world.accounts.tryPassword(" ADA ", PASSWORD);
      const { capabilities, profile } = await world.accounts.whoAmI(tokens);
      assert.equal(capabilities[0].role.name, "owner");
      assert.equal(profile.name, "ada");
      const claims = JSON.parse(
        Buffer.from(tokens?.access_token.split(".")[1] ?? "", "base64url").toString(),
      );
      assert.deepEqual(claims.act, { iss: world.server.url, sub: "local:ada" });
    });

    test("answers a wrong password and an unknown username alike", async () => {
      const names = ["ada", "nobody", "", "a\0b", "x".repeat(500)];
      for (const name of names) {
        const { page } = await world.accounts.tryPassword(name, "not the right one");
        assert.equal(page.status, 400, name);
        assert.equal(alertOf(page), WRONG);
        assert.ok(!page.text.includes("not the right one"));
      }
      const audit = await rawRows<{ resource: string; detail: string }>(
        world.server,
        "SELECT resource, detail FROM audit WHERE method = 'login refused' ORDER BY id",
      );
      // The first of each account, and of none; those that follow within a minute are counted.
      assert.deepEqual(
        audit.map(({ resource }) => resource !== ""),
        [true, false],
      );
      assert.ok(audit.every(({ detail }) => detail === ""));
    });

    test("locks the account after five failures, also for the right password", async () => {
      const { tokens } = await world.accounts.tryPassword("ada", PASSWORD);
      assert.ok(tokens, "a right password forgives what was before");
      assert.equal(Number((await account()).failures), 0);
      for (let failure = 1; failure <= 5; failure++) {
        assert.equal(Number((await account()).locked_until), 0);
        await world.accounts.tryPassword("ada", "not the right one");
        assert.equal(Number((await account()).failures), failure);
      }
      assert.ok(Number((await account()).locked_until) > Date.now());
      const { page } = await world.accounts.tryPassword("ada", PASSWORD);
      assert.equal(alertOf(page), WRONG);
      assert.equal(Number((await account()).failures), 5, "what is locked is not counted");
      await change("locked_until = 1");
      assert.ok((await world.accounts.tryPassword("ada", PASSWORD)).tokens);
      const { failures, locked_until } = await account();
      assert.deepEqual([Number(failures), Number(locked_until)], [0, 0]);
    });

    test("counts concurrent failures", async () => {
      const tries = Array.from({ length: 7 }, () =>
        world.accounts.tryPassword("ada", "not the right one"),
      );
      await Promise.all(tries);
      assert.equal(Number((await account()).failures), 5);
      await change("locked_until = 0, failures = 0");
    });

    test("replaces a hash with outdated parameters at sign-in", async () => {
      const { password_hash: before } = await account();
      await change(`password_hash = '${OLD_HASH}'`);
      assert.ok((await world.accounts.tryPassword("ada", "password")).tokens);
      assert.match((await account()).password_hash, /^\$argon2id\$v=19\$m=(?!256,)/);
      assert.ok((await world.accounts.tryPassword("ada", "password")).tokens);
      await change(`password_hash = '${before}'`);
    });

    test("rejects passwords for accounts without one", async () => {
      const { password_hash: before } = await account();
      for (const password of ["", PASSWORD]) {
        // The page of an account without a password has no form for one.
        const { app, browser, page } = await world.accounts.begin();
        await change("password_hash = ''");
        const typed = { username: "ada", password };
        const answer = await browser.submit(page, typed, { action: "/oauth/local" });
        assert.equal(alertOf(answer), WRONG);
        app.stop();
        await change(`password_hash = '${before}', failures = 0`);
      }
    });

    test("is rejected in another browser, with another's ticket, and on replay", async () => {
      const said = "This sign-in has expired, was already used, or was started in another browser.";
      const right = { username: "ada", password: PASSWORD };
      const submit = async (browser: HttpBrowser, ticket: Record<string, string> = {}) => {
        const how = { action: "/oauth/local", until: app.redirectUri };
        return browser.submit(page, { ...right, ...ticket }, how);
      };
      const { app, browser, page, login } = await world.accounts.begin();
      for (const ticket of ["", "x".repeat(43), `${login}A`, login.slice(1)]) {
        const refused = await submit(browser, { login: ticket });
        assert.deepEqual([refused.status, alertOf(refused)], [403, said]);
      }
      const done = await submit(browser);
      assert.ok(done.url.startsWith(app.redirectUri));
      assert.equal(alertOf(await submit(browser)), said);
      app.stop();

      const another = await world.accounts.begin();
      another.browser.forget();
      const how = { action: "/oauth/local" };
      const refused = await another.browser.submit(another.page, right, how);
      assert.deepEqual([refused.status, alertOf(refused)], [403, said]);
      another.app.stop();
    });

    test("rejects a password that was replaced while it was checked", async () => {
      const direct = await DirectStore.open(world.server);
      const { engine } = direct;
      const found = await findAccount(direct.store.reader, "ada");
      const { password_hash: before } = await account();
      const during = { change: async () => {} };
      class Hasher extends PasswordHasher {
        override async verify(...attempt: Parameters<PasswordHasher["verify"]>) {
          const isRight = await super.verify(...attempt);
          await during.change();
          return isRight;
        }
      }
      const deps = { ...engine, passwords: new Hasher() } as unknown as LoginDeps;
      const call = { ...callOf(SessionsService.method.listSessions), caller: ANONYMOUS };
      const attempt = { password: PASSWORD, failureAction: "login refused", isSignedIn: true };
      const signIn = () => withPassword(deps, call, { ...attempt, found }, async () => "signed in");
      assert.equal(await signIn(), "signed in");
      during.change = () => change(`password_hash = '${OLD_HASH}'`);
      assert.equal(await signIn(), undefined);
      await change(`password_hash = '${before}', failures = 0`);
      await direct.close();
    });

    test("writes no password to the log", () => {
      assert.ok(!jsonLog(world.server).includes(PASSWORD));
      assert.ok(!jsonLog(world.server).includes("not the right one"));
    });
  });
}
