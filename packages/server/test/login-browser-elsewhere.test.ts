import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import * as client from "openid-client";
import type { Browser, Page } from "playwright-core";
import { launchBrowser } from "./support/browser/browser.ts";
import { openVisit, startNamedWorld } from "./support/browser/login-visit.ts";
import { closeGrpc } from "./support/client/grpc.ts";
import { Http } from "./support/client/http.ts";
import { askForToken, exchange, HeadlessClient, JWT_START } from "./support/client/tokens.ts";
import { signInAtProvider } from "./support/providers/openid-provider.ts";
import { rawRows } from "./support/server/direct-store.ts";
import type { World } from "./support/world/world.ts";

describe("device and headless sign-in in a real browser", () => {
  let browser: Browser;
  let world: World;
  before(async () => {
    browser = await launchBrowser();
    world = await startNamedWorld("sqlite");
  });
  after(async () => {
    closeGrpc();
    await browser?.close();
    await world.stop();
  });

  const whoAmI = (token: string) => new Http(world.server.url, token).get("/auth/v1/ok");
  const sessions = async () => (await rawRows(world.server, "SELECT id FROM sessions")).length;

  const newDevice = async (form: Record<string, string> = {}) => {
    const response = await fetch(`${world.server.url}/oauth/device_authorization`, {
      method: "POST",
      headers: { "user-agent": "wharf-test/1.0" },
      body: new URLSearchParams({ client_id: "my tool", ...form }),
    });
    return (await response.json()) as Record<string, string>;
  };
  const poll = (code: string | undefined) =>
    askForToken(world.server.url, {
      grant_type: "urn:ietf:params:oauth:grant-type:device_code",
      client_id: "my tool",
      device_code: code ?? "",
    });

  /** Types a code as people do, and signs in. */
  const enter = async (page: Page, address: string, typed: string | undefined, login: string) => {
    await page.goto(address);
    if (typed !== undefined) await page.getByLabel("Code").fill(typed);
    await page.getByRole("button", { name: "Continue" }).click();
    await page.getByRole("button", { name: /Continue with acme sso/ }).click();
    await signInAtProvider(page, { login });
    await page.getByRole("heading", { name: "Sign in this device?" }).waitFor();
  };
  const choose = (page: Page, name: string) => page.getByRole("button", { name }).click();

  test("an independent client completes the device flow", async (t) => {
    const { page, complaints, urls } = await openVisit(t, browser, world);
    const config = await client.discovery(
      new URL(world.server.baseUrl),
      "an independent client",
      undefined,
      client.None(),
      { execute: [client.allowInsecureRequests] },
    );
    const device = await client.initiateDeviceAuthorization(config, { scope: "openid" });
    assert.equal(device.verification_uri, `${world.server.baseUrl}/device`);
    assert.equal(device.expires_in, 900);
    assert.equal(device.interval, 5);
    assert.match(device.user_code, /^[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}$/);
    const waiting = client.pollDeviceAuthorizationGrant(config, device);
    const typed = device.user_code.toLowerCase().replace("-", "");
    await enter(page, device.verification_uri, typed, "ada");
    const main = await page.getByRole("main").innerText();
    assert.ok(main.includes(device.user_code), main);
    assert.match(main, /as ada@acme\.example/);
    await choose(page, "Allow");
    await page.getByRole("heading", { name: "Device signed in" }).waitFor();
    const tokens = await waiting;
    assert.equal((await whoAmI(tokens.access_token)).body.email, "ada@acme.example");
    const aud = world.server.baseUrl;
    const exchanged = await exchange(world.server.url, tokens.id_token ?? "", { aud });
    assert.equal(exchanged.status, 200, exchanged.message);
    assert.equal((await whoAmI(exchanged.token)).status, 200);
    const refreshed = await client.refreshTokenGrant(config, tokens.refresh_token ?? "");
    assert.equal((await whoAmI(refreshed.access_token)).status, 200);
    assert.ok(urls.every((url) => !JWT_START.test(url)));
    assert.deepEqual(complaints, []);
  });

  test("a polling client gets authorization_pending, slow_down, and its token once", async (t) => {
    const { page } = await openVisit(t, browser, world);
    const device = await newDevice();
    const pending = await poll(device.device_code);
    assert.deepEqual([pending.status, pending.error], [400, "authorization_pending"]);
    assert.equal((await poll(device.device_code)).error, "slow_down");
    await enter(page, device.verification_uri_complete ?? "", undefined, "bob");
    const main = await page.getByRole("main").innerText();
    for (const shown of ["my tool", "wharf-test/1.0", "127.0.0.1", device.user_code ?? "-"])
      assert.ok(main.includes(shown), `${shown} in ${main}`);
    await choose(page, "Allow");
    await page.getByRole("heading", { name: "Device signed in" }).waitFor();
    const tokens = await poll(device.device_code);
    assert.equal(tokens.status, 200);
    assert.ok(tokens.refresh_token);
    assert.equal((await whoAmI(tokens.access_token)).body.email, "bob@acme.example");
    const again = await poll(device.device_code);
    assert.deepEqual([again.status, again.error], [400, "expired_token"]);
    assert.equal((await whoAmI(tokens.access_token)).status, 200);
  });

  test("denying gives the client access_denied", async (t) => {
    const { page, complaints } = await openVisit(t, browser, world);
    const before = await sessions();
    const device = await newDevice();
    await enter(page, device.verification_uri ?? "", device.user_code ?? "", "ada");
    await choose(page, "Deny");
    await page.getByRole("heading", { name: "Denied" }).waitFor();
    assert.equal((await poll(device.device_code)).error, "access_denied");
    assert.equal((await poll(device.device_code)).error, "expired_token");
    assert.equal(await sessions(), before);
    assert.deepEqual(complaints, []);
  });

  test("an unknown user code is rejected on the page, and can be corrected", async (t) => {
    const { page } = await openVisit(t, browser, world);
    const device = await newDevice();
    await page.goto(device.verification_uri ?? "");
    await page.getByLabel("Code").fill("bbbb bbbb");
    await choose(page, "Continue");
    await page.getByRole("alert").getByText("No device is waiting with this code.").waitFor();
    await page.getByLabel("Code").fill(device.user_code ?? "");
    await choose(page, "Continue");
    await page.getByRole("heading", { name: "Sign in" }).waitFor();
  });

  test("a headless client decrypts the token sealed for its key", async (t) => {
    const { page, complaints, urls } = await openVisit(t, browser, world);
    const app = new HeadlessClient();
    const { url, baseUrl } = world.server;
    assert.equal(await app.ask(url), undefined);
    await assert.rejects(app.askOverGrpc(url), { code: 5 });
    await page.goto(`${baseUrl}/oauth?headless_code=${app.code}&idp_id=${world.login.provider}`);
    await signInAtProvider(page, { login: "ada" });
    await page.getByRole("heading", { name: "Sign in this device?" }).waitFor();
    assert.equal(await app.ask(url), undefined, "not before it is confirmed");
    assert.ok((await page.getByRole("main").innerText()).includes(app.code));
    await choose(page, "Allow");
    await page.getByRole("heading", { name: "Device signed in" }).waitFor();
    const sealed = await app.ask(url);
    assert.ok(sealed);
    assert.match(sealed.ecdhPublicKey.toString("ascii"), /^[A-Za-z0-9_-]{43}$/);
    const token = app.open(sealed);
    assert.equal(app.open(await app.askOverGrpc(url)), token);
    assert.throws(() => new HeadlessClient().open(sealed), "only its key opens it");
    const exchanged = await exchange(url, token, { aud: baseUrl });
    assert.equal((await whoAmI(exchanged.token)).body.email, "ada@acme.example");
    assert.ok(urls.every((address) => !JWT_START.test(address)));
    assert.deepEqual(complaints, []);
  });

  test("denying seals no token", async (t) => {
    const { page } = await openVisit(t, browser, world);
    const before = await sessions();
    const app = new HeadlessClient();
    await page.goto(
      `${world.server.baseUrl}/oauth?headless_code=${app.code}&idp_id=${world.login.provider}`,
    );
    await signInAtProvider(page, { login: "ada" });
    await choose(page, "Deny");
    await page.getByRole("heading", { name: "Denied" }).waitFor();
    assert.equal(await app.ask(world.server.url), undefined);
    assert.equal(await sessions(), before);
  });
});
