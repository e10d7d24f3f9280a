import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Browser, Page } from "playwright-core";
import { accessibilityViolations } from "./support/browser/accessibility.ts";
import {
  type Authenticator,
  addAuthenticator,
  launchBrowser,
  openPage,
} from "./support/browser/browser.ts";
import { PASSWORD } from "./support/world/local-accounts.ts";
import { World } from "./support/world/world.ts";

const NEW = "another horse, another staple";

describe("the account page in a real browser", () => {
  let world: World;
  let browser: Browser;
  let page: Page;
  let complaints: string[];
  let authenticator: Authenticator;
  before(async () => {
    world = await World.start();
    await world.accounts.setUp();
    browser = await launchBrowser();
    ({ page, complaints } = await openPage(browser, { viewport: { width: 390, height: 844 } }));
    authenticator = await addAuthenticator(page);
  });
  after(async () => {
    await browser?.close();
    await world.stop();
  });

  const click = (name: string) => page.getByRole("button", { name, exact: true }).click();
  const status = () => page.getByRole("status").textContent();
  const isAt = (heading: string) =>
    page.getByRole("heading", { level: 1, name: heading }).waitFor();

  async function signIn(password: string): Promise<void> {
    await page.getByLabel("Username").fill("ada");
    await page.getByLabel("Password", { exact: true }).fill(password);
    await click("Sign in");
    await isAt("Your account");
  }

  test("is reached from the server URL with the keyboard", async () => {
    await page.goto(world.accounts.url);
    await isAt("Wharf is running");
    // After the logo and the console.
    for (let link = 0; link < 3; link++) await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await isAt("Sign in");
    await page.getByLabel("Username").focus();
    await page.keyboard.type("ada");
    await page.keyboard.press("Tab");
    await page.keyboard.type(PASSWORD);
    await page.keyboard.press("Enter");
    await isAt("Your account");
    assert.equal(new URL(page.url()).pathname, "/account");
    assert.deepEqual(await accessibilityViolations(page), []);
  });

  test("adds a passkey, names it, and signs in with it", async () => {
    await click("Add a passkey");
    await page.waitForURL("**/account?done=added");
    assert.equal(await status(), "Passkey added.");
    assert.equal(await authenticator.count(), 1);
    const name = page.getByLabel("Name of passkey 1");
    assert.equal(await name.inputValue(), "Chrome on Linux");
    await name.fill("my laptop");
    await click("Rename");
    await page.waitForURL("**/account?done=named");
    assert.equal(await page.getByLabel("Name of passkey 1").inputValue(), "my laptop");

    await click("Add a passkey");
    const alert = page.getByRole("alert").filter({ hasText: /./ });
    assert.equal(
      await alert.textContent(),
      "This device already holds a passkey for this account.",
      "no device has two",
    );

    await click("Sign out");
    await isAt("Signed out");
    await page.goto(`${world.accounts.url}/account`);
    await isAt("Sign in");
    await click("Use a passkey");
    await isAt("Your account");
  });

  test("changes the password, and shows errors on the page", async () => {
    await page.getByLabel("Current password").fill("not the right one");
    await page.getByLabel("New password", { exact: true }).fill(NEW);
    await page.getByLabel("New password again").fill(NEW);
    await click("Change password");
    const alert = page.getByRole("alert").filter({ hasText: /./ });
    assert.match((await alert.textContent()) ?? "", /^Your current password is wrong/);
    assert.deepEqual(await accessibilityViolations(page), []);
    await page.getByLabel("Current password").fill(PASSWORD);
    await page.getByLabel("New password", { exact: true }).fill(NEW);
    await page.getByLabel("New password again").fill(NEW);
    await click("Change password");
    await page.waitForURL("**/account?done=password");
    await click("Sign out");
    await isAt("Signed out");
    await page.goto(`${world.accounts.url}/login`);
    await signIn(NEW);
  });

  test("ends the session of a tool", async () => {
    const { tokens } = await world.accounts.tryPassword("ada", NEW);
    assert.ok(tokens);
    await page.reload();
    await page.getByRole("button", { name: /^End session of node/ }).click();
    await page.waitForURL("**/account?done=ended");
    assert.equal(await page.getByText("No active sessions.").count(), 1);
    await assert.rejects(world.accounts.whoAmI(tokens));
  });

  test("removes the passkey, without browser console errors", async () => {
    await click("Remove");
    await page.waitForURL("**/account?done=removed");
    assert.match((await status()) ?? "", /^Passkey removed\./);
    assert.equal(await page.getByText("You have no passkeys.").count(), 1);
    // Error pages have an error status, which the browser logs to the console.
    assert.deepEqual(
      complaints.filter((text) => !/status of 400/.test(text)),
      [],
    );
  });
});
