import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { decodeJwt } from "jose";
import { ConsoleBrowser } from "./support/browser/console-browser.ts";
import { HttpBrowser } from "./support/browser/http-browser.ts";
import { Http } from "./support/client/http.ts";
import { JWT_START } from "./support/client/tokens.ts";
import { DirectStore, rawRows } from "./support/server/direct-store.ts";
import { PASSWORD } from "./support/world/local-accounts.ts";
import { World } from "./support/world/world.ts";

const TEN_MINUTES_S = 600;
const NEW_PASSWORD = "another horse, another staple";

/** The cookie of a session of the console, and what a thief does with it. */
interface Stolen {
  readonly cookie: string;
  readonly accessToken: string;
  readonly session: string;
  readonly identity: string;
}

describe("a stolen or forged session of the console", () => {
  let world: World;
  let origin: string;
  let password = PASSWORD;
  before(async () => {
    world = await World.start();
    await world.accounts.setUp();
    origin = world.accounts.url;
  });
  after(() => world.stop());

  /** Asks for a token as the page does, or with other headers. */
  async function ask(
    cookie: string,
    headers: Record<string, string> = {},
    init: RequestInit = {},
  ): Promise<Response> {
    const own = { origin, "sec-fetch-site": "same-origin" };
    const sent = Object.entries({ ...own, ...headers, cookie }).filter(([, value]) => value !== "");
    return fetch(`${origin}/console/session/token`, {
      method: "POST",
      redirect: "manual",
      ...init,
      headers: Object.fromEntries(sent),
    });
  }

  /** Signs in, and returns the header that sets the cookie. */
  async function signIn(browser = new HttpBrowser()): Promise<string> {
    const page = await browser.open(`${origin}/console/sign-in`);
    const form = { username: "ada", password };
    const how = { action: "/oauth/local", until: `${origin}/console/` };
    const { headers } = await browser.submit(page, form, how);
    return headers.getSetCookie().find((one) => one.includes("wharf_console=")) ?? "";
  }

  async function stolen(): Promise<Stolen> {
    const [cookie = ""] = (await signIn()).split(";");
    const response = await ask(cookie);
    assert.equal(response.status, 200);
    const issued = (await response.json()) as Stolen;
    assert.equal(await statusOf(issued.accessToken), 200);
    return { ...issued, cookie };
  }

  const statusOf = async (token: string) =>
    (await new Http(world.server.url, token).get("/auth/v1/ok")).status;

  /** The statuses that the cookie, and a token that it issued, still get. */
  async function left({ cookie, accessToken }: Stolen): Promise<[cookie: number, token: number]> {
    return [(await ask(cookie)).status, await statusOf(accessToken)];
  }

  test("gets no token for another origin, whatever the request looks like", async () => {
    const { cookie } = await stolen();
    const { port } = new URL(origin);
    const used = () => rawRows(world.server, "SELECT id, used FROM sessions ORDER BY id");
    const before = await used();
    const attempts: Readonly<Record<string, Record<string, string>>> = {
      "another site": { origin: "https://evil.example", "sec-fetch-site": "cross-site" },
      "another site that hides it": { origin: "https://evil.example" },
      "a subdomain": { origin: `http://evil.localhost:${port}`, "sec-fetch-site": "same-site" },
      "another port": { origin: "http://localhost:1", "sec-fetch-site": "same-site" },
      "a name that begins alike": { origin: `http://localhost.evil.example:${port}` },
      "a user in the origin": { origin: `http://localhost:${port}@evil.example` },
      "a sandboxed frame": { origin: "null", "sec-fetch-site": "cross-site" },
      "a file": { origin: "null", "sec-fetch-site": "none" },
      "an address bar": { "sec-fetch-site": "none" },
      "same-site only": { "sec-fetch-site": "same-site" },
      "nonsense instead of a site": { "sec-fetch-site": "same-origin, cross-site" },
      "no origin": { origin: "" },
      "no origin and no site": { origin: "", "sec-fetch-site": "" },
      "a form": {
        origin: "https://evil.example",
        "sec-fetch-site": "cross-site",
        "sec-fetch-mode": "navigate",
        "content-type": "application/x-www-form-urlencoded",
      },
    };
    for (const [name, headers] of Object.entries(attempts)) {
      const response = await ask(cookie, headers);
      assert.equal(response.status, 403, name);
      assert.equal(response.headers.get("access-control-allow-origin"), null, name);
      assert.doesNotMatch(await response.text(), JWT_START, name);
    }
    for (const name of ["token", "end"]) {
      const sent = { method: "GET", headers: { cookie, origin } };
      const response = await fetch(`${origin}/console/session/${name}`, sent);
      assert.doesNotMatch(await response.text(), JWT_START, name);
    }
    const preflight = await ask(cookie, { origin: "https://evil.example" }, { method: "OPTIONS" });
    assert.equal(preflight.headers.get("access-control-allow-credentials"), null);
    assert.deepEqual(await used(), before, "no attempt has used the session");
    assert.equal((await ask(cookie)).status, 200);
  });

  test("gets tokens for ten minutes at a time", async () => {
    const { exp = 0, iat = 0 } = decodeJwt((await stolen()).accessToken);
    assert.equal(exp - iat, TEN_MINUTES_S);
  });

  test("nobody is signed out by another origin", async () => {
    const one = await stolen();
    const end = (headers: Record<string, string>) =>
      fetch(`${origin}/console/session/end`, {
        method: "POST",
        headers: { cookie: one.cookie, ...headers },
      });
    assert.equal((await end({ origin: "https://evil.example" })).status, 403);
    assert.equal((await end({})).status, 403);
    assert.deepEqual(await left(one), [200, 200]);
  });

  test("a session that was there before the sign-in is not the one after it", async () => {
    const browser = new HttpBrowser();
    const [planted = ""] = (await signIn(browser)).split(";");
    const page = await browser.open(`${origin}/console/sign-in?again=true`);
    const form = { username: "ada", password };
    const how = { action: "/oauth/local", until: `${origin}/console/` };
    const renewed = await browser.submit(page, form, how);
    const [after = ""] = renewed.headers.getSetCookie()[0]?.split(";") ?? [];
    assert.match(after, /^wharf_console=[\w-]{43}$/);
    assert.notEqual(after, planted);
    assert.equal((await ask(planted)).status, 401, "it has ended");
    assert.equal((await ask(after)).status, 200);
    // One of the attacker's choice never begins.
    for (const made of ["", "guessed", "A".repeat(43), "../../etc/passwd", "%00"]) {
      assert.equal((await ask(`wharf_console=${made}`)).status, 401, made);
    }
    const twice = await ask(`wharf_console=${"A".repeat(43)}; ${after}`);
    assert.equal(twice.status, 401, "a planted cookie does not borrow the right one");
  });

  test("is of no use after what ends it, and neither are its tokens", async (t) => {
    const direct = await DirectStore.open(world.server);
    t.after(() => direct.close());
    const ends: Readonly<Record<string, (one: Stolen) => Promise<unknown>>> = {
      "signing out": ({ cookie }) =>
        fetch(`${origin}/console/session/end`, { method: "POST", headers: { cookie, origin } }),
      "ending it from another session": async ({ session }) => {
        const { accessToken } = await stolen();
        const http = new Http(world.server.url, accessToken);
        assert.equal((await http.delete(`/auth/v1/sessions/${session}`)).status, 200);
      },
      "signing out everywhere from another session": async () => {
        const { accessToken } = await stolen();
        const http = new Http(world.server.url, accessToken);
        assert.equal((await http.post("/auth/v1/logout", { everywhere: true })).status, 200);
      },
      "changing the password in another session": async () => {
        const browser = new ConsoleBrowser(world);
        await browser.signIn("ada", false, password);
        const words = { current: password, password: NEW_PASSWORD, again: NEW_PASSWORD };
        assert.equal((await browser.change("password", words)).status, 200);
        password = NEW_PASSWORD;
      },
      "a reset by the operator": async () => {
        const offer = await world.server.admin("reset-account", "ada");
        const code = /(?:[A-Z]{4}-){4}[A-Z]{4}/.exec(offer)?.[0] ?? "";
        const browser = new HttpBrowser();
        const words = { code, password: PASSWORD, password_again: PASSWORD };
        await browser.submit(await browser.open(`${origin}/reset`), words);
        password = PASSWORD;
      },
    };
    for (const [name, end] of Object.entries(ends)) {
      const one = await stolen();
      await end(one);
      assert.deepEqual(await left(one), [401, 401], name);
    }
    const idle = await stolen();
    const halfADayAgo = Date.now() - 12 * 3_600_000;
    await direct.store.write((tx) =>
      tx.run("UPDATE sessions SET used = ? WHERE id = ?", halfADayAgo, idle.session),
    );
    assert.equal((await ask(idle.cookie)).status, 401, "half a day without use");

    const old = await stolen();
    const soon = Date.now() + 60_000;
    await direct.store.write((tx) =>
      tx.run("UPDATE sessions SET expires = ? WHERE id = ?", soon, old.session),
    );
    const last = (await (await ask(old.cookie)).json()) as { expires: number };
    assert.ok(last.expires <= soon, "no token outlives its session");
    await direct.store.write((tx) =>
      tx.run("UPDATE sessions SET expires = ? WHERE id = ?", Date.now() - 1, old.session),
    );
    assert.equal((await ask(old.cookie)).status, 401, "the maximum age");

    const gone = await stolen();
    const deleted = await world.http.delete(`/iam/v2beta1/identities/${gone.identity}`);
    assert.equal(deleted.status, 200, JSON.stringify(deleted.body));
    assert.deepEqual(await left(gone), [401, 401], "the person does not exist any more");
  });
});

test("the cookie is for one host, and over TLS only where there is TLS", async () => {
  const { setCookie } = await import("../src/login/browser.ts");
  const attributes = "Path=/; HttpOnly; SameSite=Strict";
  assert.equal(
    setCookie("wharf_console", "secret", "Strict", "https://wharf.example"),
    `__Host-wharf_console=secret; ${attributes}; Secure`,
  );
  assert.equal(
    setCookie("wharf_console", "secret", "Strict", "http://localhost:8080"),
    `wharf_console=secret; ${attributes}`,
  );
});
