/** Forms that need a recent sign-in: what was entered stays, and is sent once the person has signed in again. */
import assert from "node:assert/strict";
import { after, before, beforeEach, describe, test } from "node:test";
import type { Locator, Page } from "playwright-core";
import { endAllSessions } from "../../server/src/store/tables/login/sessions.ts";
import { ageSessions } from "../../server/test/support/browser/console-browser.ts";
import { DirectStore } from "../../server/test/support/server/direct-store.ts";
import { ConsoleSite } from "./support/site.ts";

const IAM = "/iam/v2beta1";

describe("forms that need a recent sign-in", () => {
  let site: ConsoleSite;
  let page: Page;
  let organization: string;
  let dialog: Locator;

  before(async () => {
    site = await ConsoleSite.start();
    ({ page, organization } = site);
    // Messages are dialogs, too.
    dialog = page.getByRole("dialog").filter({ has: page.locator("form") });
    await site.signInAt(`folders/${organization}`, "acme");
  });
  beforeEach(() => ageSessions(site.world, 16));
  after(() => site.stop());

  const create = (name: string) =>
    site.world.post(`identities/${organization}`, {
      name,
      claimMatch: { issuer: "https://ci.example.com", subject: name },
    });
  const bindingsOf = async (identity: string): Promise<{ role: { name: string } }[]> =>
    (await site.world.http.get(`${IAM}/roleBindings?identity=${identity}`)).body.roleBindings;

  async function pick(within: Locator, label: string, option: string): Promise<void> {
    await within.getByLabel(label).fill(option);
    await page
      .getByRole("option", { name: new RegExp(`^${option}`) })
      .first()
      .click();
  }

  test("granting a role that can write; one that reads asks for nothing", async () => {
    const { uid } = await create("granted");
    await page.goto(site.at(`access/${organization}`));
    await site.button("Grant access").click();
    await pick(dialog, "Identity", "granted");
    await pick(dialog, "Role", "viewer");
    await dialog.getByRole("button", { name: "Grant access" }).click();
    await page.getByText("Access was granted.").waitFor();
    await site.button("Grant access").click();
    await pick(dialog, "Identity", "granted");
    await pick(dialog, "Role", "editor");
    await dialog.getByRole("button", { name: "Grant access" }).click();
    await site.signInAgain(dialog);
    await dialog.waitFor({ state: "detached" });
    const roles = (await bindingsOf(uid)).map(({ role }) => role.name).sort();
    assert.deepEqual(roles, ["editor", "viewer"]);
    assert.deepEqual(site.complaints, []);
  });

  test("inviting an owner", async () => {
    await page.goto(site.at(`people/${organization}?tab=invites`));
    await site.button("Invite").first().click();
    await dialog.getByLabel("Email address").fill("grace@acme.example");
    await pick(dialog, "Role", "owner");
    await dialog.getByRole("button", { name: "Invite" }).click();
    await dialog.getByRole("button", { name: "Sign in again" }).waitFor();
    assert.equal(await dialog.getByLabel("Email address").inputValue(), "grace@acme.example");
    await site.signInAgain(dialog);
    await dialog.waitFor({ state: "detached" });
    const { body } = await site.world.http.get(`${IAM}/groupInvites`);
    assert.deepEqual(
      body.groupInvites.map(({ email }: { email: string }) => email),
      ["grace@acme.example"],
    );
    assert.deepEqual(site.complaints, []);
  });

  test("an identity with a role is created once, after the sign-in", async () => {
    await page.goto(site.at(`new-identity/${organization}?platform=any`));
    const form = page.getByRole("form", { name: "Create identity" });
    await form.locator("[name=issuer]").fill("https://ci.example.com");
    await form.locator("[name=subject]").fill("built");
    await form.getByLabel("Name").fill("builder");
    await pick(form, "Role", "editor");
    await form.getByRole("button", { name: "Create identity" }).click();
    await form.getByRole("button", { name: "Sign in again" }).waitFor();
    const named = async () =>
      (await site.world.http.get(`${IAM}/identities?name=builder`)).body.identities ?? [];
    assert.deepEqual(await named(), [], "nothing was created before the sign-in");
    await site.signInAgain(form);
    await site.heading("builder").waitFor();
    const [identity, ...others] = await named();
    assert.deepEqual(others, []);
    assert.deepEqual(
      (await bindingsOf(identity.uid)).map(({ role }) => role.name),
      ["editor"],
    );
    assert.deepEqual(site.complaints, []);
  });

  test("changing whom an identity trusts; its name asks for nothing", async () => {
    const { uid } = await create("trusting");
    await page.goto(site.at(`identity/${uid}`));
    await site.button("Edit").click();
    await dialog.getByLabel("Description").fill("still trusting");
    await dialog.getByRole("button", { name: "Save" }).click();
    await dialog.waitFor({ state: "detached" });
    await site.button("Edit").click();
    await dialog.getByLabel("Subject").fill("another");
    await dialog.getByRole("button", { name: "Save" }).click();
    await site.signInAgain(dialog);
    await dialog.waitFor({ state: "detached" });
    const { body } = await site.world.http.get(`${IAM}/identities/${uid}`);
    assert.deepEqual([body.description, body.claimMatch.subject], ["still trusting", "another"]);
    assert.deepEqual(site.complaints, []);
  });

  test("generating the secret of a subscription", async () => {
    const path = `/events/v2beta1/subscriptions/${organization}`;
    const { body } = await site.world.http.post(path, { sink: "http://127.0.0.1:9/" });
    await page.goto(site.at(`subscription/${body.uid}`));
    await site.button("Generate secret").click();
    await dialog.getByRole("button", { name: "Generate secret" }).click();
    await site.signInAgain(dialog);
    const once = page.getByRole("region", { name: "Copy the secret now" });
    assert.match((await once.textContent()) ?? "", /whsec_/);
    assert.deepEqual(site.complaints, []);
  });

  /** Ends all sessions, as from another browser. */
  async function endSessions(): Promise<void> {
    const direct = await DirectStore.open(site.world.server);
    await direct.store.write((tx) => endAllSessions(tx));
    await direct.close();
  }

  async function fillIn(name: string): Promise<void> {
    await page.goto(site.at(`folders/${organization}`));
    await site.button("Create folder").first().click();
    await dialog.getByLabel("Name").fill(name);
    await dialog.getByLabel("Description").fill("typed with care");
  }

  test("a session that ends while a dialog is open says so, and what was typed is sent after a sign-in", async () => {
    await fillIn("kept");
    await endSessions();
    await dialog.getByRole("button", { name: "Create folder" }).click();
    await dialog.getByText(/Your session has ended/).waitFor();
    assert.equal(await dialog.getByLabel("Name").inputValue(), "kept");
    await site.signInAgain(dialog);
    await page.getByText("typed with care").first().waitFor();
    const { body } = await site.world.http.get(`${IAM}/groups?name=kept`);
    assert.equal(body.groups.length, 1);
    assert.deepEqual(site.complaints, []);
  });

  test("after the dialog is closed, the page is left; the sign-in page says why", async () => {
    await fillIn("dropped");
    await endSessions();
    await dialog.getByRole("button", { name: "Create folder" }).click();
    await dialog.getByText(/Your session has ended/).waitFor();
    await dialog.getByRole("button", { name: "Cancel" }).click();
    await page.getByText(/Your session has ended/).waitFor();
    await site.signIn();
    await site.heading("acme").waitFor();
    const { body } = await site.world.http.get(`${IAM}/groups?name=dropped`);
    assert.deepEqual(body.groups ?? [], []);
    assert.deepEqual(site.complaints, []);
  });

  test("signing out in another tab leaves the page at once, whatever was typed", async () => {
    await fillIn("private");
    const other = await page.context().newPage();
    await other.goto(site.at("account"));
    await site.heading("Account", other).waitFor();
    await other.getByRole("button", { name: /^Account of/ }).click();
    await other.getByRole("button", { name: "Sign out", exact: true }).click();
    await page.getByLabel("Username").waitFor();
    assert.equal(await page.getByText("typed with care").count(), 0);
  });
});
