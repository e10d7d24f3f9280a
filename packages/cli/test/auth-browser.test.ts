import assert from "node:assert/strict";
import { after, afterEach, before, beforeEach, describe, test } from "node:test";
import { builtinRole } from "@wharf/contract";
import type { Browser, Page } from "playwright-core";
import { launchBrowser, openPage } from "../../server/test/support/browser/browser.ts";
import { startNamedWorld } from "../../server/test/support/browser/login-visit.ts";
import { JWT_START } from "../../server/test/support/client/tokens.ts";
import { signInAtProvider } from "../../server/test/support/providers/openid-provider.ts";
import type { World } from "../../server/test/support/world/world.ts";
import { Home } from "./support/auth-home.ts";

describe("auth login with a real browser", () => {
  let browser: Browser;
  let world: World;
  let home: Home;
  before(async () => {
    browser = await launchBrowser();
    world = await startNamedWorld("sqlite");
  });
  after(async () => {
    await browser?.close();
    await world.stop();
  });
  beforeEach(() => {
    home = new Home({ WHARF_API: world.server.baseUrl });
  });
  afterEach(() => home.remove());

  /** Types a code, signs in, and allows the tool or not. */
  const enter = async (page: Page, address: string, code: string, decision: string) => {
    await page.goto(address);
    await page.getByLabel("Code").fill(code);
    await page.getByRole("button", { name: "Continue" }).click();
    await page.getByRole("button", { name: /Continue with acme sso/ }).click();
    await signInAtProvider(page, { login: "bob" });
    await page.getByText(/wharf on /).waitFor();
    await page.getByRole("button", { name: decision }).click();
  };

  test("the browser named by BROWSER is opened, and ends on a success page", async (t) => {
    const login = home.start(["auth", "login"]);
    await login.says(/opening your browser/);
    const address = await home.browsed(login);
    assert.ok(address.startsWith(`${world.server.baseUrl}/oauth?`), address);
    const { origin } = new URL(new URL(address).searchParams.get("redirect_uri") ?? "");
    const { page, complaints } = await openPage(browser, {}, origin);
    t.after(() => page.context().close());
    const urls: string[] = [];
    page.on("request", (request) => urls.push(request.url()));
    await page.goto(address);
    await page.getByRole("button", { name: "Continue with acme sso acme.example" }).click();
    await signInAtProvider(page, { login: "ada" });
    await page.getByRole("heading", { name: "You are signed in" }).waitFor();
    const { code, stderr } = await login.ended;
    assert.equal(code, 0, stderr);
    assert.equal(home.login.email, "ada@acme.example");
    for (const url of urls.map(decodeURIComponent)) {
      assert.doesNotMatch(url, JWT_START);
      assert.doesNotMatch(url, /token=/);
    }
    assert.deepEqual(complaints, []);
  });

  test("--headless shows a code to type on another machine", async (t) => {
    const { page } = await openPage(browser);
    t.after(() => page.context().close());
    const login = home.start(["auth", "login", "--headless", "-q"]);
    const [, address = "", code = ""] = await login.says(
      /open (\S+) on any machine.*\n\n {2}(\S+)\n/,
    );
    assert.equal(address, `${world.server.baseUrl}/device`);
    assert.match(code, /^[A-Z]{4}-[A-Z]{4}$/);
    await enter(page, address, code, "Allow");
    const { code: ended, stdout, stderr } = await login.ended;
    assert.equal(ended, 0, stderr);
    assert.equal(stdout, "");
    assert.equal(home.login.email, "bob@acme.example");
    assert.equal(home.login.renewal.kind, "refresh");
    assert.match(await home.ok(["iam", "organizations", "list"]), /acme\.example/);
  });

  test("--headless reports a denial, and accepts an invite after approval", async (t) => {
    const { page } = await openPage(browser);
    t.after(() => page.context().close());
    const folder = await world.http.post(`/iam/v2beta1/groups/${world.login.organization}`, {
      name: "team red",
    });
    const made = await world.http.post(`/iam/v2beta1/groupInvites/${folder.body.uid}`, {
      roleUid: builtinRole("editor")?.uid,
      ttl: "3600s",
    });
    const env = { WHARF_INVITE_CODE: made.body.code };
    const denied = home.start(["auth", "login", "--headless"], { env });
    const accepted = home.start(["auth", "login", "--headless"], { env });
    const shown = /open (\S+) on any machine.*\n\n {2}(\S+)\n/;
    const [, address = "", first = ""] = await denied.says(shown);
    const [, , second = ""] = await accepted.says(shown);
    await enter(page, address, first, "Deny");
    await page.context().clearCookies();
    await enter(page, address, second, "Allow");
    const refusal = await denied.ended;
    assert.equal(refusal.code, 3);
    assert.match(refusal.stderr, /sign-in rejected: .*the user denied the request/);
    const { code, stderr } = await accepted.ended;
    assert.equal(code, 0, stderr);
    assert.match(stderr, /accepted the invite/);
    assert.match(stderr, /organizations: .*1 folder/);
  });
});
