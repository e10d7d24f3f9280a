import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import {
  MAX_PENDING_DEVICES,
  MAX_PENDING_DEVICES_PER_NETWORK,
  startDeviceAuthorization,
} from "../src/login/oauth/device.ts";
import { addTicket } from "../src/store/tables/login/tickets.ts";
import { HttpBrowser } from "./support/browser/http-browser.ts";
import { OAuthClient } from "./support/client/tokens.ts";
import { DirectStore, rawRows } from "./support/server/direct-store.ts";
import { NewDatabase } from "./support/server/new-database.ts";
import { STORES, type TestServer } from "./support/server/test-server.ts";
import { PASSWORD } from "./support/world/local-accounts.ts";
import { World } from "./support/world/world.ts";

const ticketsOf = async (server: TestServer) =>
  (await rawRows<{ purpose: string }>(server, "SELECT purpose FROM tickets ORDER BY purpose")).map(
    ({ purpose }) => purpose,
  );

for (const store of STORES) {
  describe(`unfinished sign-ins at a provider, on ${store}`, () => {
    let world: World;
    before(async () => {
      world = await World.start({ login: true, store });
    });
    after(() => world.stop());

    test("store nothing, at any step", async () => {
      const before = await ticketsOf(world.server);
      const { url } = world.server;
      const app = await OAuthClient.start(url);
      try {
        for (const address of [`${url}/device`, `${url}/account`, app.loginUrl()]) {
          const browser = new HttpBrowser();
          const page = await browser.open(address);
          assert.equal(page.status, 200, address);
        }
        const browser = new HttpBrowser();
        const asked = await browser.open(app.loginUrl());
        const again = await browser.submit(
          asked,
          { organization: "unknown" },
          { action: "provider" },
        );
        assert.equal(again.status, 400);
        // To the provider, and back with a forged response.
        const idp = await browser.open(
          app.loginUrl({ idp_id: world.login.provider }),
          world.login.upstream.issuer,
        );
        const state = new URL(idp.url).searchParams.get("state") ?? "";
        const made = new URLSearchParams({
          state,
          code: "made-up",
          iss: world.login.upstream.issuer,
        });
        await browser.open(`${url}/oauth/callback?${made}`, app.redirectUri);
        assert.deepEqual(await ticketsOf(world.server), before);
      } finally {
        app.stop();
      }
    });

    test("are rejected if their parameters would not fit into a URL", async () => {
      const app = await OAuthClient.start(world.server.url);
      app.stop();
      const long = await fetch(app.loginUrl({ state: "s".repeat(4_096) }));
      assert.equal(long.status, 400);
      assert.match(await long.text(), /at most 4096 bytes/);
      const short = await fetch(app.loginUrl({ state: "s".repeat(2_048) }));
      assert.equal(short.status, 200);
    });

    test("complete once: a used state is spent on every replica", async () => {
      const {
        server,
        login: { provider },
      } = world;
      const app = await OAuthClient.start(server.url);
      try {
        const browser = new HttpBrowser();
        const callback = `${server.url}/oauth/callback`;
        const start = app.loginUrl({ idp_id: provider });
        const back = await world.login.signIn(browser, start, "bob", callback);
        const done = await browser.open(back.url, app.redirectUri);
        assert.ok(new URL(done.url).searchParams.has("code"), done.text);
        assert.ok((await ticketsOf(server)).includes("redeemed login"));
        // Another process knows of it from the store alone.
        await server.terminate();
        await server.restart();
        const twice = await browser.open(back.url, app.redirectUri);
        assert.equal(twice.status, 403, twice.url);
        assert.match(twice.text, /already used/);
      } finally {
        app.stop();
      }
    });
  });

  describe(`unfinished sign-ins with a local account, on ${store}`, () => {
    let world: World;
    before(async () => {
      world = await World.start({ store });
      assert.equal((await world.accounts.setUp()).status, 200);
    });
    after(() => world.server.stop());

    test("store nothing for wrong passwords and passkeys", async () => {
      const before = await ticketsOf(world.server);
      await world.accounts.tryPassword("nobody", "wrong password");
      const { app, browser, login } = await world.accounts.begin();
      app.stop();
      const asked = await browser.send(`${world.accounts.url}/oauth/passkey/options`, { login });
      assert.equal(asked.status, 200);
      const { challengeId } = asked.body;
      const sent = { login, challengeId, response: { id: "AAAA" } };
      assert.notEqual(
        (await browser.send(`${world.accounts.url}/oauth/passkey/verify`, sent)).status,
        200,
      );
      assert.deepEqual(await ticketsOf(world.server), before);
    });

    test("sign in once with each page, also after a restart", async () => {
      const { app, browser, page } = await world.accounts.begin();
      try {
        const submit = () => {
          const how = { action: "/oauth/local", until: app.redirectUri };
          return browser.submit(page, { username: "ada", password: PASSWORD }, how);
        };
        const first = await submit();
        assert.ok(new URL(first.url).searchParams.has("code"), first.text);
        assert.equal((await submit()).status, 403);
        await world.server.terminate();
        await world.server.restart();
        assert.equal((await submit()).status, 403);
      } finally {
        app.stop();
      }
    });

    test("by devices are limited per network", async () => {
      const ask = () =>
        fetch(`${world.server.url}/oauth/device_authorization`, { method: "POST", body: "" });
      assert.equal((await ask()).status, 200);
      const direct = await DirectStore.open(world.server);
      try {
        await direct.store.write(async (tx) => {
          for (let at = 1; at < MAX_PENDING_DEVICES_PER_NETWORK; at++) {
            const ticket = { purpose: "device", secret: `x${at}`, payload: {}, identity: "" };
            const expires = Date.now() + 60_000;
            await addTicket(tx, { ...ticket, expires, network: "127.0.0.1" });
          }
        });
        const rejected = await ask();
        assert.equal(rejected.status, 429);
        assert.deepEqual(await rejected.json(), {
          error: "temporarily_unavailable",
          error_description:
            "Resource exhausted: too many devices are waiting to be signed in: try again in a few minutes",
        });
      } finally {
        await direct.close();
      }
    });
  });

  test(`pending device sign-ins are limited per network and in total, on ${store}`, async (t) => {
    const database = await NewDatabase.of(store);
    t.after(() => database.close());
    const opened = await database.store();
    const now = Date.now();
    const from = (address: string, time = now) =>
      opened.write((tx) =>
        startDeviceAuthorization(
          tx,
          { client: "c", address, userAgent: "", audiences: [], scopes: [] },
          time,
        ),
      );
    for (let at = 0; at < MAX_PENDING_DEVICES_PER_NETWORK; at++)
      await from(`2001:db8::${at.toString(16)}`);
    await assert.rejects(from("2001:db8::ffff"), /too many devices/);
    await from("2001:db8:0:1::1");
    // Expired logins no longer count.
    await from("2001:db8::ffff", now + 900_000);
    const digests = JSON.stringify(
      Array.from({ length: MAX_PENDING_DEVICES }, (_, at) => `digest ${at}`),
    );
    await opened.write((tx) => {
      const columns = "digest, purpose, payload, expires, identity, network";
      const values = `value, 'device', '{}', ${now + 60_000}, '', '192.0.2.1'`;
      const sql = `INSERT INTO tickets (${columns}) SELECT ${values} FROM (${tx.dialect.texts}) given`;
      return tx.run(sql, digests);
    });
    await assert.rejects(from("198.51.100.1"), /too many devices/);
  });
}
