import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Browser, Page } from "playwright-core";
import { addAuthenticator, launchBrowser, openPage } from "./support/browser/browser.ts";
import { OAuthClient, type TokenAnswer } from "./support/client/tokens.ts";
import type { StoreKind } from "./support/server/test-server.ts";
import { firstRunOf, jsonLog, PASSWORD } from "./support/world/local-accounts.ts";
import { World } from "./support/world/world.ts";

// The requests of these pages are sent on both stores in login-setup.test.ts.
describe("the first run in a browser", () => {
  let browser: Browser;
  let world: World;
  before(async () => {
    browser = await launchBrowser();
  });
  after(() => browser?.close());
  const onNew = (store: StoreKind, check: () => Promise<void>) => async () => {
    world = await World.start({ store });
    try {
      await check();
    } finally {
      await world.stop();
    }
  };

  async function fillIn(page: Page): Promise<string> {
    const { url, code } = await firstRunOf(world.server);
    assert.equal(url, `${world.accounts.url}/setup`);
    await page.goto(url);
    await page.getByLabel("Setup code").fill(code.toLowerCase().replaceAll("-", " "));
    await page.getByLabel("Organization").fill("acme");
    await page.getByLabel("Username").fill("Ada");
    return code;
  }

  /** Begins a login as a tool would, has it finished, and returns what the tool gets. */
  async function logIn(page: Page, finish: () => Promise<void>): Promise<TokenAnswer> {
    const app = await OAuthClient.start(world.accounts.url);
    try {
      await page.goto(app.loginUrl());
      await finish();
      const callback = await app.callback();
      assert.equal(callback.get("state"), app.state);
      await page.getByText("thank you").waitFor();
      return await app.redeem(callback);
    } finally {
      app.stop();
    }
  }

  async function isOwner(tokens: TokenAnswer): Promise<void> {
    assert.equal(tokens.status, 200, tokens.error_description);
    const { capabilities } = await world.accounts.whoAmI(tokens);
    assert.equal(capabilities.length, 1);
    assert.equal(capabilities[0].group.name, "acme");
    assert.equal(capabilities[0].group.verified, true);
    assert.equal(capabilities[0].role.name, "owner");
  }

  test(
    "creates an owner with a password, without scripts",
    onNew("sqlite", async () => {
      const { page, complaints } = await openPage(browser, { javaScriptEnabled: false });
      const code = await fillIn(page);
      await page.getByLabel("Password", { exact: true }).fill(PASSWORD);
      await page.getByLabel("Password again").fill(PASSWORD);
      await page.getByRole("button", { name: "Create account" }).click();
      await page.getByRole("heading", { name: "Wharf is set up" }).waitFor();
      assert.match((await page.textContent("main")) ?? "", /wharf auth login/);
      assert.deepEqual(complaints, []);

      const tokens = await logIn(page, async () => {
        await page.getByLabel("Username").fill("ada");
        await page.getByLabel("Password").fill(PASSWORD);
        await page.getByRole("button", { name: "Sign in" }).click();
      });
      await isOwner(tokens);
      for (const secret of [code, code.replaceAll("-", ""), PASSWORD, tokens.access_token]) {
        assert.ok(!jsonLog(world.server).includes(secret));
      }
      await page.context().close();
    }),
  );

  test(
    "creates an owner with a passkey",
    onNew("postgres", async () => {
      const { page, complaints } = await openPage(browser);
      const authenticator = await addAuthenticator(page);
      await fillIn(page);
      await page.getByRole("button", { name: "Use a passkey instead" }).click();
      await page.getByRole("heading", { name: "Wharf is set up" }).waitFor();
      assert.equal(await authenticator.count(), 1);
      assert.deepEqual(complaints, []);

      for (let login = 0; login < 2; login++) {
        const tokens = await logIn(page, () => {
          return page.getByRole("button", { name: "Use a passkey" }).click();
        });
        await isOwner(tokens);
      }

      await authenticator.verifies(false);
      await page.goto(`${world.accounts.url}/oauth`);
      await page.getByRole("button", { name: "Use a passkey" }).click();
      await page.getByText("No passkey was used").waitFor();
      await page.context().close();
    }),
  );

  test(
    "links to localhost where an IP address prevents passkeys",
    onNew("sqlite", async () => {
      const { page } = await openPage(browser);
      await page.goto(`${world.server.url}/setup`);
      await page.getByRole("link", { name: world.accounts.url }).click();
      await page.waitForURL(`${world.accounts.url}/setup`);
      await page.getByRole("button", { name: "Use a passkey instead" }).waitFor();
      await page.context().close();
    }),
  );
});
