import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { launchBrowserWith } from "../../../server/test/support/browser/browser.ts";
import { HttpBrowser } from "../../../server/test/support/browser/http-browser.ts";
import { JWT_START } from "../../../server/test/support/client/tokens.ts";
import { rawRows } from "../../../server/test/support/server/direct-store.ts";
import { PASSWORD } from "../../../server/test/support/world/local-accounts.ts";
import { World } from "../../../server/test/support/world/world.ts";
import { END, frames, readsOf, submits, TOKEN, tossedCookies } from "../support/other-origin.ts";
import { TlsSite } from "../support/tls-site.ts";

const COOKIE = "__Host-wharf_console";

/** Where attackers have a page: their host, and what browsers think of it. */
const ATTACKERS = {
  "another site": { host: "attacker.example", fetchSite: "cross-site" },
  "a sibling subdomain": { host: "evil.wharf.example", fetchSite: "same-site" },
  "another port of the same host": { host: "wharf.example", fetchSite: "same-site" },
  "an origin that may call the API": { host: "app.wharf.example", fetchSite: "same-site" },
} as const;

const PAGES = ["/console/", "/console/sign-in?", "/account", "/oauth", "/docs/", "/setup"];

interface Token {
  readonly accessToken?: string;
  readonly session?: string;
}

describe("pages of other origins, in a browser that is signed in to the console", () => {
  let world: World;
  let browser: Browser;
  /** The server behind TLS, and the server of the attackers. */
  let front: TlsSite;
  let evil: TlsSite;
  let target: string;
  let group: string;
  let victim: BrowserContext;
  let own: string;

  before(async () => {
    front = await TlsSite.start();
    evil = await TlsSite.start();
    evil.respond = (_, outgoing) =>
      outgoing.writeHead(200, { "content-type": "text/html" }).end("<!doctype html><title>evil");
    target = front.origin("wharf.example");
    const allowed = evil.origin(ATTACKERS["an origin that may call the API"].host);
    world = await World.start({ flags: ["--base-url", target, "--cors-origins", allowed] });
    front.passOnTo(world.server.url);
    await world.accounts.setUp();
    group = (await world.http.get("/iam/v2beta1/groups?name=acme")).body.groups[0].uid;
    browser = await launchBrowserWith(["wharf.example", "*.wharf.example", "attacker.example"]);
    victim = await signedIn();
    own = (await token(victim)).session ?? "";
  });
  after(async () => {
    await browser?.close();
    front.stop();
    evil.stop();
    await world.stop();
  });

  async function newPage(context: BrowserContext): Promise<Page> {
    const page = await context.newPage();
    page.setDefaultTimeout(120_000);
    return page;
  }

  /** A browser of its own, signed in to the console; its tab is closed. */
  async function signedIn(): Promise<BrowserContext> {
    const context = await browser.newContext({ ignoreHTTPSErrors: true });
    const page = await newPage(context);
    await page.goto(`${target}/console/account`);
    await page.getByLabel("Username").fill("ada");
    await page.getByLabel("Password", { exact: true }).fill(PASSWORD);
    await page.getByRole("button", { name: "Sign in", exact: true }).click();
    await page.getByRole("heading", { level: 1, name: "Account" }).waitFor();
    await page.close();
    return context;
  }

  /** What the page of the console gets when it asks for a token. */
  async function token(context: BrowserContext): Promise<Token> {
    const page = await newPage(context);
    await page.goto(`${target}/docs/`);
    const asked = `fetch("${TOKEN}", { method: "POST" }).then((one) => one.json())`;
    const answer = await page.evaluate<Token>(asked);
    await page.close();
    return answer;
  }

  const cookieOf = async (context: BrowserContext) =>
    (await context.cookies(target)).filter(({ name }) => name === COOKIE).map((one) => one.value);

  /** Everything that an attack could use, end, open or change. */
  async function state(): Promise<unknown> {
    const sessions = await rawRows(world.server, "SELECT id, used FROM sessions ORDER BY id");
    const groups = await rawRows(world.server, "SELECT * FROM groups ORDER BY uid");
    return { sessions, groups, cookie: await cookieOf(victim) };
  }

  /** Runs an attack from a page of the attacker, and asserts that it left everything as it was. */
  async function attack(host: string, run: (page: Page) => Promise<void>): Promise<void> {
    const before = await state();
    const page = await newPage(victim);
    await page.goto(evil.origin(host));
    await run(page);
    await page.close();
    assert.deepEqual(await state(), before);
  }

  for (const [name, { host, fetchSite }] of Object.entries(ATTACKERS)) {
    const by = `by=${host}`;
    const isAllowed = name === "an origin that may call the API";

    test(`${name} reads and changes nothing with requests of a script`, async () => {
      await attack(host, async (page) => {
        const read = await page.evaluate<string[]>(readsOf(target, by, group));
        // CORS opens the API, whose requests need a token, and nothing else.
        const secret = isAllowed
          ? read.filter((one) => /console|account/.test(one) || JWT_START.test(one))
          : read;
        assert.deepEqual(secret, []);
        for (const path of [TOKEN, END]) await front.answered(`${path}?${by}&beacon`);
      });
      const sent = front.arrived.filter(({ url }) => url.includes(by));
      const posted = sent.filter(({ method, url }) => method === "POST" && url.startsWith(TOKEN));
      assert.ok(posted.length > 0);
      for (const one of posted) assert.deepEqual([one.status, one.fetchSite], [403, fetchSite]);
      // The browser sends it within the site: the server has rejected the requests, not their lack of a cookie.
      const isSent = sent.some(({ cookie }) => cookie.includes(`${COOKIE}=`));
      assert.equal(isSent, fetchSite === "same-site");
    });

    test(`${name} changes nothing with forms, in a window and in a frame`, async () => {
      for (const path of [TOKEN, END, "/console/account/password", "/oauth/local"]) {
        await attack(host, async (page) => {
          await page.evaluate(submits(`${target}${path}?${by}&frame`, "framed"));
          const opened = page.context().waitForEvent("page");
          await page.evaluate(submits(`${target}${path}?${by}&window`, "_blank"));
          const popup = await opened;
          const top = await front.answered(`${path}?${by}&window`);
          assert.equal(top.status, 403, path);
          await popup.waitForLoadState();
          assert.doesNotMatch(await popup.content(), JWT_START);
          await popup.close();
        });
      }
    });

    test(`${name} cannot show the console in a frame, nor hold its window`, async () => {
      await attack(host, async (page) => {
        for (const [at, path] of PAGES.entries()) {
          await page.evaluate(frames(`${target}${path}?${by}`, `frame-${at}`));
          const shown = page.frame(`frame-${at}`)?.url();
          assert.match(shown ?? "", /^chrome-error:/, path);
        }
      });
      const page = await newPage(victim);
      await page.goto(evil.origin(host));
      const opened = victim.waitForEvent("page");
      await page.evaluate(`globalThis.opened = open("${target}/console/organizations"); 0`);
      const popup = await opened;
      await popup.getByRole("heading", { level: 1, name: "Organizations" }).waitFor();
      assert.equal(await popup.evaluate("opener"), null);
      await page.evaluate(`opened.postMessage("ended", "*")`);
      assert.equal(await page.evaluate("opened.closed"), true, "the opener has lost it");
      await popup.getByRole("heading", { level: 1, name: "Organizations" }).waitFor();
      for (const one of [popup, page]) await one.close();
      assert.equal((await token(victim)).session, own);
    });
  }

  /** Has a subdomain set cookies for the host of the console, in every way. */
  async function toss(context: BrowserContext, secret: string): Promise<void> {
    const before = evil.respond;
    evil.respond = (_, outgoing) =>
      outgoing
        .writeHead(200, { "content-type": "text/html", "set-cookie": tossedCookies(secret) })
        .end("<!doctype html><title>evil");
    const page = await newPage(context);
    await page.goto(evil.origin("evil.wharf.example"));
    for (const one of tossedCookies(secret)) {
      await page.evaluate(`document.cookie = ${JSON.stringify(one)}`);
    }
    await page.close();
    evil.respond = before;
    const arrived = (await context.cookies(target)).map(({ value }) => value);
    assert.ok(arrived.includes(secret), "cookies without the prefix arrive");
  }

  test("a cookie from a subdomain neither replaces a session nor begins one", async () => {
    const attacker = await signedIn();
    const [secret = ""] = await cookieOf(attacker);
    assert.match(secret, /^[\w-]{43}$/);
    await toss(victim, secret);
    assert.equal((await token(victim)).session, own);
    const other = await browser.newContext({ ignoreHTTPSErrors: true });
    await toss(other, secret);
    assert.equal((await token(other)).session, undefined);
    const page = await newPage(other);
    await page.goto(`${target}/console/organizations`);
    await page.getByLabel("Username").waitFor();
    // What was planted before the sign-in is not the session after it.
    await page.getByLabel("Username").fill("ada");
    await page.getByLabel("Password", { exact: true }).fill(PASSWORD);
    await page.getByRole("button", { name: "Sign in", exact: true }).click();
    await page.getByRole("heading", { level: 1, name: "Organizations" }).waitFor();
    assert.notEqual((await cookieOf(other))[0], secret);
    const sessions = [attacker, victim, other].map(async (one) => (await token(one)).session);
    assert.equal(new Set(await Promise.all(sessions)).size, 3);
  });

  test("nobody is signed in to the account of an attacker", async () => {
    const begun = await new HttpBrowser().open(`${world.accounts.url}/console/sign-in`);
    const login = /name="login" value="([^"]*)"/.exec(begun.text)?.[1] ?? "";
    assert.notEqual(login, "");
    const { length } = await rawRows(world.server, "SELECT id FROM sessions");
    const other = await browser.newContext({ ignoreHTTPSErrors: true });
    const page = await newPage(other);
    for (const { host } of Object.values(ATTACKERS)) {
      // With a cookie of the sign-in page, or without one.
      await page.goto(evil.origin(host));
      const mark = `login=${host}`;
      const fields = { login, username: "ada", password: PASSWORD };
      await page.evaluate(submits(`${target}/oauth/local?${mark}`, "_self", fields));
      await page.getByRole("heading", { level: 1, name: "Access denied" }).waitFor();
      assert.equal((await front.answered(mark)).status, 403);
      await page.goto(`${target}/console/sign-in`);
      await page.getByLabel("Username").waitFor();
    }
    assert.deepEqual(await cookieOf(other), []);
    assert.equal((await rawRows(world.server, "SELECT id FROM sessions")).length, length);
  });
});
