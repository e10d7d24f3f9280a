import { addAuthenticator } from "../../../server/test/support/browser/browser.ts";
import { DirectStore } from "../../../server/test/support/server/direct-store.ts";
import { PASSWORD } from "../../../server/test/support/world/local-accounts.ts";
import { Keyboard } from "../support/keyboard.ts";
import type { Walks } from "../support/walks.ts";

const NEW_PASSWORD = "another horse, another staple";

export const ACCOUNT: Walks = {
  async "rotates the signing keys as the operator"({ site, page, keys }) {
    await page.goto(site.at("operator?tab=keys"));
    await keys.write("Operator's token", await site.world.server.token());
    await keys.press("Enter");
    await page.getByRole("table", { name: "Signing keys" }).getByText("current").first().waitFor();
    await keys.open("button", "Rotate keys");
    await keys.activate("button", "Rotate keys");
    await keys.closed();
    await page.getByRole("table", { name: "Signing keys" }).getByText("retiring").waitFor();
    await keys.isAt("button", "Rotate keys");
  },

  async "signs in again before a deletion"({ site, page, keys, organization }) {
    const { body } = await site.world.http.post(`/iam/v2beta1/groups/${organization}`, {
      name: "short-lived",
    });
    const direct = await DirectStore.open(site.world.server);
    const old = Date.now() - 16 * 60_000;
    await direct.store.write((tx) => tx.run("UPDATE sessions SET created = ?", old));
    await direct.close();
    await page.goto(site.at(`folders/${body.uid}`));
    await keys.open("button", "Delete");
    await keys.activate("button", "Delete");
    const opened = page.context().waitForEvent("page");
    await keys.activate("button", "Sign in again");
    const popup = await opened;
    const closed = popup.waitForEvent("close");
    await popup.getByLabel("Username").waitFor();
    const there = await Keyboard.of(popup);
    await popup.reload();
    await there.write("Username", "ada");
    await there.write("Password", PASSWORD);
    await there.press("Enter");
    await closed;
    await site.heading("acme").waitFor();
    await keys.isAt("heading", "acme");
  },

  async "ends another session"({ site, page, keys }) {
    await site.world.accounts.tryPassword("ada", PASSWORD);
    await page.goto(site.at("account"));
    await page.getByRole("button", { name: "End" }).first().waitFor();
    const before = await page.getByRole("button", { name: "End" }).count();
    await keys.activate("button", /^End session/);
    await page
      .getByRole("button", { name: "End" })
      .nth(before - 1)
      .waitFor({ state: "detached" });
    await page.locator("main :focus").waitFor();
  },

  async "adds a passkey, changes the password and signs out"({ site, page, keys }) {
    await addAuthenticator(page);
    await page.goto(site.at("account"));
    await keys.open("button", "Add a passkey");
    await keys.write("Name", "laptop");
    await keys.press("Enter");
    await keys.closed();
    await page.locator(".entry-name", { hasText: "laptop" }).waitFor();
    await keys.isAt("button", "Add a passkey");
    await keys.open("button", "Change password");
    await keys.write("Current password", PASSWORD);
    await keys.write("New password", NEW_PASSWORD);
    await keys.write("New password again", NEW_PASSWORD);
    await keys.press("Enter");
    await keys.closed();
    await keys.isAt("button", "Change password");
    await keys.activate("button", /^Account of/);
    await keys.activate("button", "Sign out");
    await page.getByRole("link", { name: "Open the console" }).waitFor();
  },
};
