import assert from "node:assert/strict";
import { after, afterEach, before, beforeEach, describe, test } from "node:test";
import {
  type AuthenticationResponseJSON,
  generateAuthenticationOptions,
  generateRegistrationOptions,
  type RegistrationResponseJSON,
  verifyAuthenticationResponse,
  verifyRegistrationResponse,
  type WebAuthnCredential,
} from "@simplewebauthn/server";
import type { Browser, Page } from "playwright-core";
import { donePage, TO_START } from "../src/login/pages/messages.ts";
import {
  type Authenticator,
  addAuthenticator,
  launchBrowser,
  openPage,
} from "./support/browser/browser.ts";
import { LoginSite, samplePages, TICKET } from "./support/browser/login-site.ts";

const rpID = "localhost";

describe("the passkey script", () => {
  let browser: Browser;
  let site: LoginSite;
  let page: Page;
  let complaints: string[];
  let authenticator: Authenticator;
  let credential: WebAuthnCredential | undefined;

  before(async () => {
    browser = await launchBrowser();
    site = await LoginSite.start();
  });
  after(async () => {
    await browser?.close();
    await site?.stop();
  });
  beforeEach(async () => {
    for (const [path, text] of samplePages(site.url)) site.pages.set(path, text);
    site.pages.set("/welcome", donePage({ title: "Welcome", text: "", next: TO_START }));
    site.answers.clear();
    site.posts.length = 0;
    credential = undefined;
    ({ page, complaints } = await openPage(browser));
    authenticator = await addAuthenticator(page);
  });
  afterEach(() => page.context().close());

  /** The server's side of making a passkey, for real. */
  function letRegister(path: string, challengeId?: string): void {
    let expectedChallenge = "";
    site.answers.set(`${path}/options`, async ({ username }: { username: string }) => {
      const options = await generateRegistrationOptions({
        rpName: "Wharf",
        rpID,
        userName: username,
        authenticatorSelection: { residentKey: "required", userVerification: "required" },
      });
      expectedChallenge = options.challenge;
      return { json: challengeId === undefined ? { options } : { challengeId, options } };
    });
    site.answers.set(`${path}/verify`, async (body: { response: RegistrationResponseJSON }) => {
      const { response } = body;
      const origin = { expectedOrigin: site.url, expectedRPID: rpID };
      const result = await verifyRegistrationResponse({ response, expectedChallenge, ...origin });
      credential = result.registrationInfo?.credential;
      return { json: { redirect: "/welcome" } };
    });
  }

  function letAuthenticate(): void {
    let expectedChallenge = "";
    site.answers.set("/oauth/passkey/options", async () => {
      const json = await generateAuthenticationOptions({ rpID, userVerification: "required" });
      expectedChallenge = json.challenge;
      return { json };
    });
    site.answers.set(
      "/oauth/passkey/verify",
      async ({ response }: { response: AuthenticationResponseJSON }) => {
        assert.ok(credential);
        const origin = { expectedOrigin: site.url, expectedRPID: rpID };
        const { verified } = await verifyAuthenticationResponse({
          response,
          expectedChallenge,
          credential,
          ...origin,
        });
        return {
          json: verified ? { redirect: `${site.url}/welcome` } : { error: "Not verified." },
        };
      },
    );
  }

  async function setUp(): Promise<void> {
    letRegister("/setup/passkey", "challenge-1");
    await page.goto(`${site.url}/setup-first`);
    await page.getByLabel("Setup code").fill("a-code");
    await page.getByLabel("Organization").fill("acme");
    await page.getByLabel("Username").fill("ada");
    await page.getByRole("button", { name: "Use a passkey instead" }).click();
    await page.waitForURL("**/welcome");
  }

  const alertText = () => page.getByRole("alert").filter({ hasText: /./ }).textContent();

  test("sets up with a passkey, then signs in with it", async () => {
    await setUp();
    assert.equal(await authenticator.count(), 1);
    assert.ok(credential);
    const [options, verify] = site.posts;
    assert.deepEqual(options?.body, { code: "a-code", organization: "acme", username: "ada" });
    assert.deepEqual(Object.keys(verify?.body ?? {}), ["code", "challengeId", "response"]);
    assert.equal(verify?.body.code, "a-code");
    assert.equal(verify?.body.challengeId, "challenge-1");

    site.posts.length = 0;
    letAuthenticate();
    await page.goto(`${site.url}/choose`);
    await page.getByRole("button", { name: "Use a passkey" }).press("Enter");
    await page.waitForURL("**/welcome");
    assert.deepEqual(site.posts[0], { path: "/oauth/passkey/options", body: { login: TICKET } });
    assert.deepEqual(Object.keys(site.posts[1]?.body ?? {}), ["login", "response"]);
    assert.equal(site.posts[1]?.body.login, TICKET);
    assert.deepEqual(complaints, []);
  });

  test("creates an account for an invite with a passkey", async () => {
    letRegister("/oauth/account/passkey");
    await page.goto(`${site.url}/account`);
    await page.getByRole("button", { name: "Use a passkey instead" }).click();
    await page.waitForURL("**/welcome");
    assert.deepEqual(site.posts[0]?.body, { login: TICKET, username: "ada" });
    const { response, ...rest } = site.posts[1]?.body ?? {};
    assert.deepEqual(rest, { login: TICKET });
    assert.ok(response);
    assert.ok(credential);
  });

  test("validates fields before it calls the server", async () => {
    await page.goto(`${site.url}/setup-first`);
    await page.getByLabel("Setup code").fill("a-code");
    await page.getByRole("button", { name: "Use a passkey instead" }).click();
    const focused = await page.evaluate(`document.activeElement.name`);
    assert.equal(focused, "organization");
    assert.deepEqual(site.posts, []);
  });

  test("shows the server's error as text, and allows a retry", async () => {
    const error = "<b>This login</b> took too long.";
    site.answers.set("/oauth/passkey/options", () => ({ status: 400, json: { error } }));
    await page.goto(`${site.url}/choose`);
    const button = page.getByRole("button", { name: "Use a passkey" });
    await button.click();
    assert.equal(await alertText(), error);
    const focused = await page.evaluate(`document.activeElement.getAttribute("role")`);
    assert.equal(focused, "alert");
    assert.equal(await button.isEnabled(), true);
  });

  test("explains when a passkey is rejected", async () => {
    await setUp();
    letAuthenticate();
    await authenticator.verifies(false);
    await page.goto(`${site.url}/choose`);
    await page.getByRole("button", { name: "Use a passkey" }).click();
    assert.equal(await alertText(), "No passkey was used: the request was canceled or timed out.");
  });

  test("shows a generic message for unknown errors", async () => {
    site.answers.set("/oauth/passkey/options", () => "<!doctype html>not JSON");
    await page.goto(`${site.url}/choose`);
    await page.getByRole("button", { name: "Use a passkey" }).click();
    assert.equal(await alertText(), "Something went wrong. Please try again.");
  });

  test("follows http(s) URLs only", async () => {
    await setUp();
    letAuthenticate();
    site.answers.set("/oauth/passkey/verify", () => ({
      json: { redirect: "javascript:document.title='run'" },
    }));
    await page.goto(`${site.url}/choose`);
    await page.getByRole("button", { name: "Use a passkey" }).click();
    assert.equal(await alertText(), "Something went wrong. Please try again.");
    assert.notEqual(await page.title(), "run");
  });
});
