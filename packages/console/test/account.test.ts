/** The account screen: credentials and sessions, with a real browser's passkeys. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Locator, Page } from "playwright-core";
import { type Authenticator, addAuthenticator } from "../../server/test/support/browser/browser.ts";
import { ageSessions } from "../../server/test/support/browser/console-browser.ts";
import { DirectStore } from "../../server/test/support/server/direct-store.ts";
import { PASSWORD } from "../../server/test/support/world/local-accounts.ts";
import { AA, addAxe, violations } from "./support/axe.ts";
import { ConsoleSite } from "./support/site.ts";

const NEW = "  another horse, another staple ";

describe("the account screen", () => {
  let site: ConsoleSite;
  let page: Page;
  let dialog: Locator;
  let authenticator: Authenticator;
  before(async () => {
    site = await ConsoleSite.start();
    ({ page } = site);
    await page.setViewportSize({ width: 390, height: 844 });
    await addAxe(page);
    authenticator = await addAuthenticator(page);
    // Messages are dialogs, too.
    dialog = page.getByRole("dialog").filter({ has: page.locator("form") });
  });
  after(() => site.stop());

  const passkeys = () => page.getByRole("list", { name: "Passkeys" }).locator(".entry-name");
  const sessions = () => page.getByRole("list", { name: "Sessions" }).locator(".entry");
  const closed = () => dialog.waitFor({ state: "detached" });
  const submit = (name: string) => dialog.getByRole("button", { name }).click();

  async function fillPasswords(current: string, password: string): Promise<void> {
    await site.button("Change password").click();
    await dialog.getByLabel("Current password").fill(current);
    await dialog.getByLabel("New password", { exact: true }).fill(password);
    await dialog.getByLabel("New password again").fill(password);
  }

  test("is reached from the start page through the sign-in, without tokens in URLs", async () => {
    const urls: string[] = [];
    page.on("request", (request) => urls.push(request.url()));
    await page.goto(site.world.accounts.url);
    await page.getByRole("link", { name: "Your account" }).click();
    await site.signIn();
    await site.heading("Account").waitFor();
    assert.equal(new URL(page.url()).pathname, "/console/account");
    await page.getByText("a local account").waitFor();
    assert.deepEqual(
      urls.filter((url) => /eyJ|token=|password=/.test(url)),
      [],
    );
    assert.deepEqual(site.complaints, []);
  });

  test("adds a passkey with a name, once per device, and renames it", async () => {
    await site.button("Add a passkey").click();
    assert.equal(await dialog.getByLabel("Name").inputValue(), "Chrome on Linux");
    await dialog.getByLabel("Name").fill("work laptop");
    await submit("Continue");
    await closed();
    await passkeys().filter({ hasText: "work laptop" }).waitFor();
    assert.deepEqual(await passkeys().allTextContents(), ["work laptop"]);
    assert.equal(await authenticator.count(), 1);
    await site.button("Add a passkey").click();
    await submit("Continue");
    await dialog.getByText("This device already has a passkey for this account.").waitFor();
    await submit("Cancel");
    await site.button("Rename work laptop").click();
    await dialog.getByLabel("Name").fill("my laptop");
    await submit("Rename");
    await closed();
    await passkeys().filter({ hasText: "my laptop" }).waitFor();
    assert.deepEqual(site.complaints, []);
  });

  test("shows why no passkey was created, and changes nothing", async () => {
    await authenticator.remove();
    const other = await addAuthenticator(page);
    await other.verifies(false);
    await site.button("Add a passkey").click();
    await submit("Continue");
    await dialog.getByText(/^No passkey was created/).waitFor();
    await submit("Cancel");
    assert.equal(await passkeys().count(), 1);
    await other.remove();
    authenticator = await addAuthenticator(page);
  });

  test("changes the password, spaces included; this browser stays signed in, others do not", async () => {
    const { tokens } = await site.world.accounts.tryPassword("ada", PASSWORD);
    const tab = await page.context().newPage();
    await tab.goto(site.at("account"));
    await site.heading("Account", tab).waitFor();
    await fillPasswords("not the right one", NEW);
    await submit("Change password");
    await dialog.getByText(/^Your current password is wrong/).waitFor();
    assert.deepEqual(await violations(page, AA), []);
    await dialog.getByLabel("Current password").fill(PASSWORD);
    await submit("Change password");
    await closed();
    await page.getByText("All other sessions have ended.").waitFor();
    await assert.rejects(site.world.accounts.whoAmI(tokens));
    assert.equal(await sessions().count(), 1);
    assert.ok((await site.world.accounts.tryPassword("ada", NEW)).tokens);
    // Tabs share the cookie.
    await tab.getByRole("link", { name: "Organizations" }).click();
    await tab.getByRole("link", { name: "acme" }).waitFor();
    await tab.close();
    assert.deepEqual(site.complaints, []);
  });

  test("a change that needs a recent sign-in goes on by itself after one", async () => {
    await site.world.accounts.tryPassword("ada", NEW);
    await ageSessions(site.world, 16);
    await site.button("Rename my laptop").click();
    await dialog.getByLabel("Name").fill("old laptop");
    await submit("Rename");
    const opened = page.context().waitForEvent("page");
    await submit("Sign in again");
    const popup = await opened;
    const isClosed = popup.waitForEvent("close");
    await popup.getByLabel("Username").fill("ada");
    await popup.getByLabel("Password", { exact: true }).fill(NEW);
    await popup.getByRole("button", { name: "Sign in", exact: true }).click();
    await isClosed;
    await closed();
    await passkeys().filter({ hasText: "old laptop" }).waitFor();

    await ageSessions(site.world, 16);
    await site.button("Add a passkey").click();
    await submit("Continue");
    await dialog.getByRole("button", { name: "Sign in again" }).waitFor();
    assert.equal(await authenticator.count(), 0, "the device was not asked yet");
    await submit("Cancel");
    assert.deepEqual(site.complaints, []);
  });

  test("lists sessions, this one first, and ends that of a tool without a recent sign-in", async () => {
    const { tokens } = await site.world.accounts.tryPassword("ada", NEW);
    await page.reload();
    await sessions().first().getByText("This session").waitFor();
    assert.match((await sessions().first().textContent()) ?? "", /Chrome on Linux/);
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme });
      assert.deepEqual(await violations(page, AA), [], colorScheme);
    }
    const width = await page.evaluate("document.documentElement.scrollWidth");
    assert.equal(width, 390);
    const count = await sessions().count();
    await page
      .getByRole("button", { name: /^End session of node from 127/ })
      .first()
      .click();
    await sessions()
      .nth(count - 1)
      .waitFor({ state: "detached" });
    await assert.rejects(site.world.accounts.whoAmI(tokens));
    assert.deepEqual(site.complaints, []);
  });

  test("signs out everywhere, then in with a passkey", async () => {
    await page.goto(site.at("account"));
    const { tokens } = await site.world.accounts.tryPassword("ada", NEW);
    await site.button("Sign out everywhere").click();
    await submit("Sign out everywhere");
    await page.getByRole("link", { name: "Open the console" }).waitFor();
    await assert.rejects(site.world.accounts.whoAmI(tokens));
    await page.goto(`${site.world.accounts.url}/login`);
    await page.getByLabel("Username").fill("ada");
    await page.getByLabel("Password", { exact: true }).fill(NEW);
    await page.getByRole("button", { name: "Sign in", exact: true }).click();
    await page.getByRole("button", { name: /^Account of/ }).waitFor();
    await page.goto(site.at("account"));
    await site.button("Add a passkey").click();
    await dialog.getByLabel("Name").fill("new laptop");
    await submit("Continue");
    await closed();
    await page.getByRole("button", { name: /^Account of/ }).click();
    await site.button("Sign out").click();
    await page.getByRole("link", { name: "Your account" }).click();
    await page.getByRole("button", { name: "Use a passkey" }).click();
    await site.heading("Account").waitFor();
    await passkeys().filter({ hasText: "new laptop" }).waitFor();
    assert.deepEqual(site.complaints, []);
  });

  test("removes a passkey after a confirmation", async () => {
    await site.button("Remove old laptop").click();
    await dialog.getByText("Remove it from your device, too.").waitFor();
    await submit("Remove");
    await closed();
    await passkeys().filter({ hasText: "old laptop" }).waitFor({ state: "detached" });
    assert.deepEqual(await passkeys().allTextContents(), ["new laptop"]);
    assert.deepEqual(site.complaints, []);
  });

  test("at an address of this machine, it leads to the name that passkeys work at", async () => {
    const other = await page.context().newPage();
    await other.goto(`${site.world.server.url}/account`);
    await other.getByLabel("Username").fill("ada");
    await other.getByLabel("Password", { exact: true }).fill(NEW);
    await other.getByRole("button", { name: "Sign in", exact: true }).click();
    await site.heading("Account", other).waitFor();
    const link = other.getByRole("link", { name: site.world.accounts.url });
    assert.equal(await link.getAttribute("href"), `${site.world.accounts.url}/account`);
    assert.equal(await other.getByRole("button", { name: "Add a passkey" }).count(), 0);
    await other.close();
  });

  test("opens for people without any organization or role", async () => {
    const direct = await DirectStore.open(site.world.server);
    await direct.store.write(async (tx) => {
      await tx.run("DELETE FROM role_bindings");
      tx.accessChanged();
    });
    await direct.close();
    await page.goto(`${site.world.accounts.url}/account`);
    await site.heading("Account").waitFor();
    await passkeys().filter({ hasText: "new laptop" }).waitFor();
    await sessions().first().getByText("This session").waitFor();
    assert.deepEqual(site.complaints, []);
  });
});
