import assert from "node:assert/strict";
import { before, describe, test } from "node:test";
import { redeemChallenge } from "../src/login/local/challenges.ts";
import { endAllSessions } from "../src/store/tables/login/sessions.ts";
import { ConsoleBrowser } from "./support/browser/console-browser.ts";
import { HttpBrowser } from "./support/browser/http-browser.ts";
import { SoftPasskey } from "./support/browser/soft-passkey.ts";
import { Http } from "./support/client/http.ts";
import { DirectStore, rawRows } from "./support/server/direct-store.ts";
import { until } from "./support/until.ts";
import { byName, PASSWORD } from "./support/world/local-accounts.ts";
import { onEachStore, World } from "./support/world/world.ts";

const NEW = "another horse, another staple";
const CREDENTIALS = "/auth/v1/credentials";

/** The field and the sentence of an invalid request. */
const violationOf = ({ status, body }: { status: number; body: { details?: Detail[] } }) => {
  const found = body.details?.flatMap(({ fieldViolations = [] }) => fieldViolations) ?? [];
  return [status, ...found.map(({ field }) => field)];
};
interface Detail {
  readonly fieldViolations?: readonly { readonly field: string; readonly description: string }[];
}

function suite(world: World): void {
  let password = PASSWORD;
  before(async () => {
    assert.equal((await world.accounts.setUp()).status, 200);
  });

  /** A browser with a session of the console. */
  async function signedIn(): Promise<ConsoleBrowser> {
    const browser = new ConsoleBrowser(world);
    await browser.signIn("ada", false, password);
    return browser;
  }

  const actions = async () =>
    (
      await rawRows<{ method: string }>(
        world.server,
        "SELECT method FROM audit WHERE actor <> '' ORDER BY id",
      )
    ).map(({ method }) => method);

  const asToken = (token: string | undefined) => new Http(world.server.url, token ?? "");
  const works = async (token: string | undefined) =>
    (await asToken(token).get("/auth/v1/ok")).status === 200;
  const credentials = async (browser: ConsoleBrowser) =>
    (await asToken(await browser.token()).get(CREDENTIALS)).body;
  const newPassword = (current: string, more: object = {}) => ({
    current,
    password: NEW,
    again: NEW,
    ...more,
  });

  test("its addresses lead through the sign-in, and at once to the console when signed in", async () => {
    const { url } = world.accounts;
    const welcome = await new HttpBrowser().open(`${url}/`);
    assert.equal(welcome.status, 200);
    assert.match(welcome.text, /href="\/account"/);
    // Only in a clone does npx run our command: the npm package of this name is somebody else's.
    assert.ok(welcome.text.includes(`<code>wharf auth login --api ${world.server.url}`));
    for (const [path, target] of [
      ["/account", "/console/account"],
      ["/login", "/console/"],
    ]) {
      const browser = new ConsoleBrowser(world);
      const page = await browser.open(url + path);
      assert.match(page.text, /<h1>Sign in<\/h1>/);
      const how = { action: "/oauth/local", until: `${url}${target}` };
      const done = await browser.submit(page, { username: "ada", password }, how);
      assert.equal(done.url, `${url}${target}`);
      assert.equal((await browser.open(url + path)).url, `${url}${target}`);
    }
  });

  test("shows what the account can sign in with, and where passkeys work", async () => {
    const shown = await credentials(await signedIn());
    assert.deepEqual(shown, {
      username: "ada",
      hasPassword: true,
      passkeys: [],
      passkeyOrigin: world.accounts.url,
      identityProviderName: "",
    });
  });

  test("changing the password takes the current one", async () => {
    const browser = await signedIn();
    const change = (fields: object) => browser.change("password", newPassword(password, fields));
    const token = await browser.token();
    assert.deepEqual(violationOf(await change({ current: "not the right one" })), [400, "current"]);
    const short = { password: "short", again: "short" };
    assert.deepEqual(violationOf(await change(short)), [400, "password"]);
    assert.deepEqual(violationOf(await change({ again: `${NEW}!` })), [400, "password"]);
    assert.ok(await works(token), "nothing has changed so far");
    assert.ok((await world.accounts.tryPassword("ada", password)).tokens);
  });

  test("changing the password ends all sessions; the browser gets a new one, no more recent", async () => {
    const { tokens } = await world.accounts.tryPassword("ada", password);
    const [browser, elsewhere] = [await signedIn(), await signedIn()];
    const [before, other] = [await browser.token(), await elsewhere.token()];
    const copied = browser.copy();
    const { auth_time, sid } = await browser.claims();
    const changed = await browser.change("password", newPassword(password));
    assert.deepEqual([changed.status, changed.body], [200, {}]);
    for (const token of [tokens?.access_token, before, other]) {
      assert.equal(await works(token), false);
    }
    const after = await browser.claims();
    assert.notEqual(after.sid, sid);
    assert.equal(after.auth_time, auth_time, "a new password is no new sign-in");
    for (const ended of [copied, elsewhere]) await assert.rejects(ended.token(), /401/);
    assert.equal((await world.accounts.tryPassword("ada", password)).tokens, undefined);
    password = NEW;
    assert.ok((await world.accounts.tryPassword("ada", password)).tokens);
    assert.ok((await actions()).includes("password changed"));
  });

  test("spaces around a password are part of it", async () => {
    const browser = await signedIn();
    const spaced = `  ${NEW} `;
    const again = { password: spaced, again: spaced };
    assert.equal((await browser.change("password", newPassword(password, again))).status, 200);
    assert.equal((await world.accounts.tryPassword("ada", NEW)).tokens, undefined);
    password = spaced;
    assert.ok((await world.accounts.tryPassword("ada", password)).tokens);
  });

  test("wrong current passwords lock the account, as at sign-in", async () => {
    const browser = await signedIn();
    for (let failure = 1; failure <= 5; failure++) {
      await browser.change("password", newPassword(`guess number ${failure}`));
    }
    const right = await browser.change("password", newPassword(password));
    assert.deepEqual(violationOf(right), [400, "current"]);
    const { tokens } = await world.accounts.tryPassword("ada", password);
    assert.equal(tokens, undefined, "locked there, too");
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

  test("signing out everywhere ends the sessions of tools and of this browser", async () => {
    const { tokens } = await world.accounts.tryPassword("ada", password);
    const browser = await signedIn();
    const token = await browser.token();
    const left = await asToken(token).post("/auth/v1/logout", { everywhere: true });
    assert.equal(left.status, 200);
    for (const one of [tokens?.access_token, token]) assert.equal(await works(one), false);
    await assert.rejects(browser.token(), /401/);
  });

  test("a challenge that another replica has redeemed adds no passkey", async () => {
    const browser = await signedIn();
    const { body } = await browser.change("passkeys/options", {});
    const direct = await DirectStore.open(world.server);
    await direct.store.write((tx) => redeemChallenge(tx, body.challengeId, Date.now()));
    await direct.close();
    const response = new SoftPasskey(byName(world.server)).create(body.options, {});
    const answer = { challengeId: body.challengeId, response };
    assert.equal((await browser.change("passkeys/add", answer)).status, 403);
    assert.deepEqual(await rawRows(world.server, "SELECT * FROM passkeys"), []);
  });

  test("passkeys are added, named and removed, but not the last credential", async () => {
    const passkey = new SoftPasskey(byName(world.server));
    const browser = await signedIn();
    assert.equal((await browser.addPasskey(passkey, "work laptop")).status, 200);
    assert.ok((await world.accounts.tryPasskey(passkey)).tokens);
    assert.equal((await browser.addPasskey(passkey)).status, 401, "the same one twice");
    const [shown] = (await credentials(browser)).passkeys;
    const { id } = shown;
    assert.deepEqual([id, shown.name], [passkey.credentialId, "work laptop"]);

    const named = await browser.change("passkeys/rename", { id, name: " the blue key " });
    assert.equal(named.status, 200);
    for (const name of ["", " ", "x".repeat(65), "a\u0000b", "a\u202eb"]) {
      const rejected = await browser.change("passkeys/rename", { id, name });
      assert.deepEqual(violationOf(rejected), [400, "name"], JSON.stringify(name));
    }
    assert.equal((await credentials(browser)).passkeys[0].name, "the blue key");

    const direct = await DirectStore.open(world.server);
    await direct.store.write((tx) => tx.run("UPDATE local_accounts SET password_hash = ''"));
    await direct.close();
    assert.equal((await credentials(browser)).hasPassword, false);
    const remove = (which: string) => browser.change("passkeys/remove", { id: which });
    assert.deepEqual(violationOf(await remove(id)), [400, "passkey"]);
    assert.equal((await rawRows(world.server, "SELECT * FROM passkeys")).length, 1);

    const second = new SoftPasskey(byName(world.server));
    assert.equal((await browser.addPasskey(second)).status, 200);
    assert.equal((await remove(id)).status, 200);
    assert.deepEqual(violationOf(await remove(id)), [400, "passkey"], "it is gone");
    assert.equal((await world.accounts.tryPasskey(passkey)).answer.status, 401);
    assert.ok((await world.accounts.tryPasskey(second)).tokens);

    const set = await browser.change("password", { password: PASSWORD, again: PASSWORD });
    assert.equal(set.status, 200);
    password = PASSWORD;
    assert.ok((await world.accounts.tryPassword("ada", password)).tokens);
    const noted = await actions();
    for (const action of ["passkey added", "passkey renamed", "passkey removed"]) {
      assert.ok(noted.includes(action), action);
    }
  });

  // SQLite has one writer at a time, in whose process nothing else waits.
  if (world.store === "postgres") {
    test("a change whose session ends while it waits changes nothing", async (t) => {
      const direct = await DirectStore.open(world.server);
      t.after(() => direct.close());
      const isWaiting = async () => {
        const sql = `SELECT 1 FROM pg_stat_activity
          WHERE wait_event_type = 'Lock' AND datname = current_database()`;
        return (await direct.store.reader.get(sql)) !== undefined;
      };
      const state = async () => [
        await rawRows(world.server, "SELECT password_hash FROM local_accounts"),
        await rawRows(world.server, "SELECT credential_id, name FROM passkeys"),
      ];
      const before = await state();
      for (const [path, body] of [
        ["password", newPassword(password)],
        ["passkeys/rename", { id: "any", name: "another name" }],
        ["passkeys/remove", { id: "any" }],
      ] as const) {
        const browser = await signedIn();
        // Before: issuing one takes the lock of the session, too.
        const token = await browser.token();
        const [held, release] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
        const ending = direct.store.write(async (tx) => {
          await endAllSessions(tx);
          held.resolve();
          await release.promise;
        });
        await held.promise;
        let isDone = false;
        const sending = browser.change(path, body, {}, token).finally(() => {
          isDone = true;
        });
        await until(async () => isDone || (await isWaiting()), 5);
        release.resolve();
        await ending;
        assert.equal((await sending).status, 401, path);
      }
      assert.deepEqual(await state(), before);
    });
  }
}

describe("the account screen's requests", () => {
  onEachStore("of local accounts", suite);
});

test("users of a provider see its name, list and end their sessions, and have no password", async (t) => {
  const world = await World.start({ login: true });
  t.after(() => world.stop());
  const { access_token } = await world.login.logIn("ada");
  class ProviderBrowser extends ConsoleBrowser {
    override readonly origin = world.server.url;
  }
  const browser = new ProviderBrowser(world);
  const choose = await browser.open(`${world.server.url}/account`);
  const { provider, upstream } = world.login;
  const how = { action: "/oauth/provider", until: upstream.issuer };
  const { url } = await browser.submit(choose, { provider }, how);
  await world.login.signIn(browser, url, "ada", `${world.server.url}/console/`);
  const http = new Http(world.server.url, await browser.token());
  const { body } = await http.get(CREDENTIALS);
  assert.deepEqual([body.username, body.identityProviderName], ["", "acme sso"]);
  const words = { current: "", password: NEW, again: NEW };
  for (const [path, sent] of [
    ["password", words],
    ["passkeys/options", {}],
    ["passkeys/remove", { id: "any" }],
  ] as const) {
    assert.equal((await browser.change(path, sent)).status, 403, path);
  }
  assert.equal((await http.post("/auth/v1/logout", { everywhere: true })).status, 200);
  assert.equal((await new Http(world.server.url, access_token).get("/auth/v1/ok")).status, 401);
});

test("people without any role have an account, too", async (t) => {
  const world = await World.start();
  t.after(() => world.stop());
  await world.accounts.setUp();
  const direct = await DirectStore.open(world.server);
  await direct.store.write(async (tx) => {
    await tx.run("DELETE FROM role_bindings");
    tx.accessChanged();
  });
  await direct.close();
  const browser = new ConsoleBrowser(world);
  await browser.signIn();
  const http = new Http(world.server.url, await browser.token());
  assert.equal((await http.get("/iam/v2beta1/groups")).body.groups.length, 0);
  assert.equal((await http.get(CREDENTIALS)).body.username, "ada");
  assert.equal((await http.get("/auth/v1/sessions")).body.sessions.length, 1);
  assert.equal((await browser.addPasskey(new SoftPasskey(world.accounts.url))).status, 200);
});

test("disabling local accounts ends what their sessions may change", async (t) => {
  const world = await World.start();
  t.after(() => world.stop());
  await world.accounts.setUp();
  const browser = new ConsoleBrowser(world);
  await browser.signIn();
  const headers = { authorization: `Bearer ${await browser.token()}`, origin: browser.origin };
  await world.server.terminate();
  await world.server.restart(["--local-accounts", "off"]);
  const at = `${world.accounts.url}/console/account/passkeys/options`;
  assert.equal((await browser.send(at, {}, headers)).status, 401);
});
