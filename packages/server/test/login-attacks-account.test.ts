/** Abuse of the requests with which people change their own credentials. */
import assert from "node:assert/strict";
import { after, before, beforeEach, describe, test } from "node:test";
import { ageSessions, ConsoleBrowser } from "./support/browser/console-browser.ts";
import { HttpBrowser } from "./support/browser/http-browser.ts";
import { SoftPasskey } from "./support/browser/soft-passkey.ts";
import { exchange } from "./support/client/tokens.ts";
import { DirectStore, rawRows } from "./support/server/direct-store.ts";
import { PASSWORD } from "./support/world/local-accounts.ts";
import { roleNamed, World } from "./support/world/world.ts";

const NEW = "another horse, another staple";

describe("credentials cannot be changed by", () => {
  let world: World;
  let origin: string;
  let ada: ConsoleBrowser;
  let bob: ConsoleBrowser;
  /** A passkey of ada. */
  let id: string;
  /** Requests that ada could send. */
  let changes: Readonly<Record<string, object>>;

  before(async () => {
    world = await World.start();
    await world.accounts.setUp();
    origin = world.accounts.url;
    ada = new ConsoleBrowser(world);
    await ada.signIn();
    const passkey = new SoftPasskey(origin);
    assert.equal((await ada.addPasskey(passkey, "laptop")).status, 200);
    id = passkey.credentialId;
    changes = {
      password: { current: PASSWORD, password: NEW, again: NEW },
      "passkeys/options": {},
      "passkeys/add": { challengeId: "any", response: {} },
      "passkeys/rename": { id, name: "stolen" },
      "passkeys/remove": { id },
    };
    await joinAs("bob");
  });
  after(() => world.stop());
  beforeEach(async () => {
    ada = new ConsoleBrowser(world);
    await ada.signIn();
    bob = new ConsoleBrowser(world);
    await bob.signIn("bob");
  });

  async function joinAs(username: string): Promise<void> {
    const { body } = await world.http.get("/iam/v2beta1/groups?name=acme");
    const api = world.operator();
    const invite = { roleUid: roleNamed("viewer"), ttl: "3600s" };
    const { code } = await api.groupInvites.create(body.groups[0].uid, invite);
    const browser = new HttpBrowser();
    const page = await browser.open(`${origin}/oauth?invite=${encodeURIComponent(code)}`);
    const form = await browser.submit(page, {}, { action: "/oauth/account" });
    const fields = { username, password: PASSWORD, password_again: PASSWORD };
    assert.match((await browser.submit(form, fields)).text, /Invite accepted/);
  }

  const state = async () => [
    await rawRows(world.server, "SELECT * FROM local_accounts ORDER BY username"),
    await rawRows(world.server, "SELECT * FROM passkeys ORDER BY credential_id"),
  ];

  /** Sends every change; each is rejected with a status, and changes nothing. */
  async function rejectsAll(
    status: number,
    send: (path: string, body: object) => Promise<{ status: number }>,
  ): Promise<void> {
    const before = await state();
    for (const [path, body] of Object.entries(changes)) {
      assert.equal((await send(path, body)).status, status, path);
    }
    assert.deepEqual(await state(), before);
  }

  const urlOf = (path: string) => `${origin}/console/account/${path}`;

  test("nobody but the tests below: the same requests work for ada", async () => {
    for (const path of ["passkeys/options", "passkeys/rename"]) {
      assert.equal((await ada.change(path, changes[path] ?? {})).status, 200, path);
    }
    await ada.change("passkeys/rename", { id, name: "laptop" });
  });

  const ORIGINS: Readonly<Record<string, Record<string, string>>> = {
    "another site": { origin: "https://evil.example", "sec-fetch-site": "cross-site" },
    "a sibling subdomain": { origin: "http://evil.localhost", "sec-fetch-site": "same-site" },
    "another port of this host": { origin: "http://localhost:1", "sec-fetch-site": "same-site" },
    "a sandboxed frame": { origin: "null", "sec-fetch-site": "cross-site" },
    "an address bar": { "sec-fetch-site": "none" },
  };
  for (const [name, headers] of Object.entries(ORIGINS)) {
    test(`${name}, with cookie and token`, () =>
      rejectsAll(403, (path, body) => ada.change(path, body, headers)));
  }

  test("a request without the header Origin", async () => {
    const authorization = `Bearer ${await ada.token()}`;
    await rejectsAll(403, (path, body) => ada.send(urlOf(path), body, { authorization }));
  });

  test("a form of another site, which has neither a token nor JSON", async () => {
    await rejectsAll(401, (path, body) => ada.send(urlOf(path), body, { origin }));
    const type = "application/x-www-form-urlencoded";
    await rejectsAll(400, (path, body) => ada.change(path, body, { "content-type": type }));
    await rejectsAll(400, (path, body) => ada.change(path, body, { "content-type": "text/plain" }));
  });

  test("a GET, also with a token in the query", async () => {
    const token = await ada.token();
    await rejectsAll(405, (path, body) => {
      const query = new URLSearchParams({ ...body, access_token: token } as never);
      return ada.open(`${urlOf(path)}?${query}`);
    });
    await rejectsAll(401, (path, body) =>
      ada.send(`${urlOf(path)}?access_token=${token}`, body, { origin }),
    );
  });

  test("a preflight: CORS does not open them", async () => {
    for (const path of Object.keys(changes)) {
      const { headers } = await fetch(urlOf(path), {
        method: "OPTIONS",
        headers: { origin: "https://evil.example", "access-control-request-method": "POST" },
      });
      assert.equal(headers.get("access-control-allow-origin"), null, path);
      assert.equal(headers.get("access-control-allow-credentials"), null, path);
    }
  });

  test("a stolen access token, without the cookie", async () => {
    const headers = { origin, authorization: `Bearer ${await ada.token()}` };
    await rejectsAll(401, (path, body) => new HttpBrowser().send(urlOf(path), body, headers));
    // With the thief's own session of the console, too.
    await rejectsAll(401, (path, body) => bob.change(path, body, headers));
  });

  test("tokens of tools and of other sessions of the same person", async () => {
    const { tokens } = await world.accounts.tryPassword("ada", PASSWORD);
    const other = new ConsoleBrowser(world);
    await other.signIn();
    for (const token of [tokens?.access_token, await other.token(), "nonsense", ""]) {
      const headers = { authorization: `Bearer ${token}` };
      await rejectsAll(401, (path, body) => ada.change(path, body, headers));
    }
  });

  test("a page of a person who has signed out, while the next one is signed in", async () => {
    const shown = { authorization: `Bearer ${await bob.token()}` };
    await rejectsAll(401, (path, body) => ada.change(path, body, shown));
  });

  test("a stolen session of the console without a recent sign-in", async () => {
    const thief = ada.copy();
    await ageSessions(world, 16);
    await rejectsAll(401, async (path, body) => {
      const { status, body: answer } = await thief.change(path, body);
      assert.equal(answer.details[0].reason, "RECENT_SIGN_IN_REQUIRED", path);
      return { status };
    });
  });

  test("an exchanged token of an old session, however new it is", async () => {
    const { url } = world.server;
    await ageSessions(world, 16);
    const { token } = await exchange(url, await ada.token(), { aud: url });
    const headers = { authorization: `Bearer ${token}` };
    await rejectsAll(401, (path, body) => ada.change(path, body, headers));
  });

  test("a session whose time of sign-in is unknown", async () => {
    const direct = await DirectStore.open(world.server);
    await direct.store.write(async (tx) => {
      await tx.run("UPDATE sessions SET person = ?", JSON.stringify({ act: {} }));
      tx.accessChanged();
    });
    await direct.close();
    await rejectsAll(401, (path, body) => ada.change(path, body));
  });

  test("somebody else who signs in again in the same browser", async () => {
    const shown = { authorization: `Bearer ${await ada.token()}` };
    await ageSessions(world, 16);
    await ada.signIn("bob", true);
    await rejectsAll(401, (path, body) => ada.change(path, body, shown));
  });

  test("the old password of a session that a copied cookie belongs to", async () => {
    const thief = ada.copy();
    const token = await ada.token();
    const changed = await ada.change("password", changes.password ?? {});
    assert.equal(changed.status, 200);
    const headers = { origin, authorization: `Bearer ${token}` };
    await rejectsAll(401, (path, body) => thief.send(urlOf(path), body, headers));
    const back = { current: NEW, password: PASSWORD, again: PASSWORD };
    assert.equal((await ada.change("password", back)).status, 200);
  });

  test("another person, who knows the id of a passkey", async () => {
    const before = await state();
    for (const path of ["passkeys/rename", "passkeys/remove"]) {
      assert.equal((await bob.change(path, changes[path] ?? {})).status, 400, path);
    }
    assert.deepEqual(await state(), before);
  });

  test("a challenge of another session, browser or purpose, or one that was used", async () => {
    const before = await state();
    const thief = new ConsoleBrowser(world);
    await thief.signIn();
    const add = async (to: ConsoleBrowser, from: { body: Offer }) => {
      const { options, challengeId } = from.body;
      const response = new SoftPasskey(origin).create(options, {});
      return (await to.change("passkeys/add", { challengeId, response })).status;
    };
    assert.equal(await add(thief, await ada.change("passkeys/options", {})), 403);
    assert.equal(await add(bob, await ada.change("passkeys/options", {})), 403);
    const page = await ada.openSignIn(true);
    const login = /name="login" value="([^"]*)"/.exec(page.text)?.[1] ?? "";
    const signIn = await ada.send(`${origin}/oauth/passkey/options`, { login });
    assert.equal(signIn.status, 200);
    const options = { ...signIn.body.options, rp: { id: "localhost" } };
    assert.equal(await add(ada, { body: { ...signIn.body, options } }), 403);
    assert.deepEqual(await state(), before);
    const offer = await ada.change("passkeys/options", {});
    assert.equal(await add(ada, offer), 200);
    assert.equal(await add(ada, offer), 403, "twice");
  });

  test("a large request, or one without credentials that is large", async () => {
    const name = "x".repeat(70_000);
    const sent = { id, name };
    assert.equal((await ada.change("passkeys/rename", sent)).status, 413);
    const anyone = await fetch(urlOf("passkeys/rename"), {
      method: "POST",
      headers: { origin, "content-type": "application/json" },
      body: JSON.stringify(sent),
    });
    assert.equal(anyone.status, 401);
  });

  test("guesses of the current password: a hundred a minute, and five before a lock", async () => {
    const { password, again } = { password: NEW, again: NEW };
    const statuses = new Set<number>();
    for (let guess = 0; guess < 101; guess++) {
      // Rejected before the password is looked at, so that the hashes take no time.
      const short = { current: `guess ${guess}`, password: "short", again };
      statuses.add(
        (await ada.change("password", guess < 100 ? short : { password, again })).status,
      );
    }
    assert.deepEqual([...statuses], [400, 429]);
  });
});

interface Offer {
  readonly options: Parameters<SoftPasskey["create"]>[0];
  readonly challengeId: string;
}
