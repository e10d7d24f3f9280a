import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { decodeJwt } from "jose";
import type { Browser, Page } from "playwright-core";
import { launchBrowser } from "./support/browser/browser.ts";
import { openVisit, startNamedWorld } from "./support/browser/login-visit.ts";
import { Http } from "./support/client/http.ts";
import { JWT_START, type OAuthClient } from "./support/client/tokens.ts";
import { signInAtProvider } from "./support/providers/openid-provider.ts";
import { rawRows } from "./support/server/direct-store.ts";
import type { World } from "./support/world/world.ts";

let browser: Browser;
before(async () => {
  browser = await launchBrowser();
});
after(() => browser?.close());

const whoAmI = ({ server }: World, token: string) => new Http(server.url, token).get("/auth/v1/ok");

const withOrganization = async (page: Page, name: string) => {
  const field = page.getByLabel("Organization");
  if (!(await field.isVisible())) await page.getByText("Another organization").click();
  await field.fill(name);
  await page.getByRole("button", { name: "Continue", exact: true }).click();
};

describe("sign-in in a real browser", () => {
  let world: World;
  before(async () => {
    world = await startNamedWorld("sqlite");
  });
  after(() => world.stop());

  const sessions = () => rawRows(world.server, "SELECT id FROM sessions");

  /** The address that public clients open, which get the token itself. */
  const publicUrl = (app: OAuthClient, parameters: Record<string, string>) => {
    const redirect = `${app.redirectUri.replace("127.0.0.1", "localhost")}?token=true&error=true&own=1`;
    const query = new URLSearchParams({ exit: "redirect", redirect, ...parameters });
    return `${world.server.baseUrl}/oauth?${query}`;
  };

  test("from choosing a provider to a token, which is in no URL", async (t) => {
    const { page, app, arrival, complaints, urls } = await openVisit(t, browser, world);
    await page.goto(app.loginUrl());
    assert.equal(await page.getByRole("heading", { level: 1 }).textContent(), "Sign in");
    const [cookie, ...others] = await page.context().cookies(world.server.baseUrl);
    assert.deepEqual(others, []);
    assert.equal(cookie?.name, "wharf_login");
    assert.equal(cookie?.httpOnly, true);
    assert.equal(cookie?.sameSite, "Lax");
    assert.equal(cookie?.expires, -1);
    assert.equal(cookie?.path, "/");
    await page.getByRole("button", { name: "Continue with acme sso acme.example" }).click();
    await signInAtProvider(page, { login: "ada" });
    const callback = await arrival();
    assert.equal(callback.get("state"), app.state);
    assert.equal(callback.get("iss"), world.server.baseUrl);
    const tokens = await app.redeem(callback);
    assert.equal(tokens.status, 200, tokens.error_description);
    const me = (await whoAmI(world, tokens.access_token)).body;
    assert.equal(me.email, "ada@acme.example");
    assert.equal(decodeJwt(tokens.access_token).aud, world.server.baseUrl);
    assert.ok(urls.length > 8, urls.join("\n"));
    for (const url of urls.map(decodeURIComponent)) {
      assert.doesNotMatch(url, JWT_START, "tokens are not for addresses");
      assert.doesNotMatch(url, /token=|refresh/);
    }
    assert.deepEqual(complaints, []);
  });

  test("in the console, and again at a provider that still knows the person", async (t) => {
    const { page, complaints, urls } = await openVisit(t, browser, world);
    const provider = page.getByRole("button", { name: "Continue with acme sso acme.example" });
    await page.goto(`${world.server.baseUrl}/console/account`);
    await provider.click();
    await signInAtProvider(page, { login: "bob" });
    const session = page.getByText("This session");
    await session.waitFor();
    await page.getByText("acme sso manages your password and passkeys.").waitFor();
    const before = await sessions();
    await page.goto(`${world.server.baseUrl}/console/sign-in?again=true&to=/console/account`);
    await provider.click();
    await signInAtProvider(page, { login: "bob" });
    await session.waitFor();
    const asked = urls.filter((url) => url.includes("code_challenge"));
    assert.match(asked.at(-1) ?? "", /prompt=login&max_age=0/);
    const left = await sessions();
    assert.equal(left.length, before.length);
    assert.notDeepEqual(left, before, "the old session has ended");
    const uid = encodeURIComponent(world.login.provider);
    await page.goto(`${world.server.baseUrl}/console/test-sign-in?provider=${uid}`);
    await page.getByRole("heading", { name: "The test sign-in worked" }).waitFor();
    await page.getByText("bob@acme.example").waitFor();
    assert.deepEqual(await sessions(), left, "a test signs nobody in");
    await page.context().clearCookies();
    await page.goto(`${world.server.baseUrl}/console/test-sign-in?provider=${uid}`);
    await page.getByRole("heading", { name: "Sign in" }).waitFor();
    assert.deepEqual(
      complaints.filter((one) => !one.includes("401")),
      [],
    );
  });

  test("by organization name; an unknown name gets an error", async (t) => {
    const { page, app, arrival, complaints } = await openVisit(t, browser, world);
    await page.goto(app.loginUrl());
    await withOrganization(page, "nobody.example");
    const alert = page.getByRole("alert");
    await alert
      .getByText("No verified organization with this name has an identity provider.")
      .waitFor();
    assert.equal(await page.title(), "Error: Sign in – Wharf");
    assert.equal(await page.getByLabel("Organization").inputValue(), "nobody.example");
    // The browser notes the status of the page; it must have nothing else to say.
    assert.deepEqual(
      complaints.splice(0).filter((text) => !/status of 400/.test(text)),
      [],
    );
    await withOrganization(page, "acme.example");
    await signInAtProvider(page, { login: "bob" });
    const { access_token: token } = await app.redeem(await arrival());
    assert.equal((await whoAmI(world, token)).body.email, "bob@acme.example");
    assert.deepEqual(complaints, []);
  });

  test("straight to the provider, by its uid and by organization name", async (t) => {
    for (const idp_id of [world.login.provider, "acme.example"]) {
      const { page, app, arrival, complaints } = await openVisit(t, browser, world);
      await page.goto(app.loginUrl({ idp_id }));
      await signInAtProvider(page, { login: "ada" });
      assert.equal((await app.redeem(await arrival())).status, 200);
      assert.deepEqual(complaints, []);
    }
    const { page, app } = await openVisit(t, browser, world);
    const answer = await page.goto(app.loginUrl({ idp_id: "nobody.example" }));
    assert.equal(answer?.status(), 404);
    await page.getByText("The identity provider does not exist.").waitFor();
  });

  test("without scripts", async (t) => {
    const { page, app, arrival, complaints } = await openVisit(t, browser, world, {
      javaScriptEnabled: false,
    });
    await page.goto(app.loginUrl());
    await withOrganization(page, "acme.example");
    await signInAtProvider(page, { login: "ada" });
    assert.equal((await app.redeem(await arrival())).status, 200);
    assert.deepEqual(complaints, []);
  });

  test("existing clients get token and refresh token, and their query parameters back", async (t) => {
    const { page, app, arrival, complaints } = await openVisit(t, browser, world);
    const host = new URL(world.server.baseUrl).host;
    const wanted = { create_refresh_token: "true", audience: `${world.server.baseUrl},${host}` };
    await page.goto(publicUrl(app, { idp_id: world.login.provider, ...wanted }));
    await signInAtProvider(page, { login: "ada" });
    const callback = await arrival();
    assert.deepEqual([...callback.keys()], ["own", "token", "refresh_token"]);
    const token = callback.get("token") ?? "";
    assert.deepEqual(decodeJwt(token).aud, [world.server.baseUrl, host]);
    assert.equal((await whoAmI(world, token)).status, 200);
    const refreshed = await fetch(`${world.server.url}/sts/exchange_refresh_token`, {
      method: "POST",
      headers: { authorization: `Bearer ${callback.get("refresh_token")}` },
    });
    assert.equal(refreshed.status, 200);
    await page.goto(publicUrl(app, { idp_id: world.login.provider }));
    assert.deepEqual([...(await arrival()).keys()], ["own", "token"]);
    assert.deepEqual(complaints, []);
  });

  test("existing clients get an error for unknown users, who are not created", async (t) => {
    world.login.upstream.accounts.set("zoe", { email: "zoe@acme.example", email_verified: true });
    const before = (await sessions()).length;
    const { page, app, arrival } = await openVisit(t, browser, world);
    await page.goto(publicUrl(app, { idp_id: world.login.provider, skip_registration: "true" }));
    await signInAtProvider(page, { login: "zoe" });
    const callback = await arrival();
    assert.equal(callback.get("status_code"), "404");
    assert.equal(
      callback.get("error"),
      "Not found: this person has no account: registration required",
    );
    assert.deepEqual([...callback.keys()], ["own", "error", "status_code"]);
    const listed = (await world.http.get("/iam/v2beta1/identities")).body.identities;
    assert.doesNotMatch(JSON.stringify(listed), /zoe/);
    assert.equal((await sessions()).length, before);
    await page.goto(publicUrl(app, { idp_id: world.login.provider }));
    assert.match((await arrival()).get("token") ?? "", /^eyJ/);
    await page.goto(publicUrl(app, { idp_id: world.login.provider, skip_registration: "true" }));
    assert.match((await arrival()).get("token") ?? "", /^eyJ/);
  });

  test("an unavailable provider gets an error page, and works once it recovers", async (t) => {
    const { page, app, arrival } = await openVisit(t, browser, world);
    await world.login.upstream.stop();
    const direct = await page.goto(app.loginUrl({ idp_id: world.login.provider }));
    assert.equal(direct?.status(), 503);
    await page.getByText("The identity provider: it cannot be reached.").waitFor();
    await page.goto(app.loginUrl());
    const [answer] = await Promise.all([
      page.waitForResponse((one) => one.url().endsWith("/oauth/provider")),
      withOrganization(page, "acme.example"),
    ]);
    assert.equal(answer.status(), 503);
    // The browser has the answer before it shows the page; what is opened until then may be replaced by it.
    await page.getByText("The identity provider: it cannot be reached.").waitFor();
    assert.equal((await fetch(`${world.server.url}/healthz`)).status, 200);
    await world.login.upstream.resume();
    await page.goto(app.loginUrl({ idp_id: world.login.provider }));
    await signInAtProvider(page, { login: "ada" });
    assert.equal((await app.redeem(await arrival())).status, 200);
  });

  test("canceling at the provider gives the client access_denied", async (t) => {
    const { page, app, arrival } = await openVisit(t, browser, world);
    await page.goto(app.loginUrl({ idp_id: world.login.provider }));
    await page.waitForURL((url) => url.pathname.startsWith("/interaction/"));
    await page.getByRole("link", { name: "Cancel" }).click();
    const callback = await arrival();
    assert.equal(callback.get("error"), "access_denied");
    assert.match(callback.get("error_description") ?? "", /rejected this sign-in: acc/);
    assert.equal(callback.get("state"), app.state);
    assert.equal(callback.get("iss"), world.server.baseUrl);
    assert.equal(callback.has("code"), false);
  });
});
