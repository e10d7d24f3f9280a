import assert from "node:assert/strict";
import { after, before, describe, type TestContext, test } from "node:test";
import type { Page, Route } from "playwright-core";
import { type Person, secondPerson } from "../support/second-person.ts";
import { ConsoleSite } from "../support/site.ts";

/** Holds requests back until they are released. */
class Held {
  readonly #routes: Route[] = [];
  #arrived = () => {};
  /** Resolves when the first request is held. */
  readonly arrived = new Promise<void>((resolve) => {
    this.#arrived = resolve;
  });
  #isReleased = false;

  static async at(page: Page, url: RegExp, method: string): Promise<Held> {
    const held = new Held();
    await page.route(url, (route) => {
      if (held.#isReleased || route.request().method() !== method) return route.continue();
      held.#routes.push(route);
      held.#arrived();
    });
    return held;
  }

  async release(): Promise<void> {
    this.#isReleased = true;
    for (const route of this.#routes) await route.continue();
  }
}

const button = (tab: Page, name: string) => tab.getByRole("button", { name, exact: true });

/** What stands in the place of a button that is no longer offered. */
const withheld = (tab: Page) =>
  tab.getByRole("button", { name: "Create folder: not allowed" }).first();

describe("two tabs of one person in a real browser", () => {
  let site: ConsoleSite;
  let folder: string;
  let bob: Person;
  before(async () => {
    site = await ConsoleSite.start();
    const organization = site.organization;
    const { body } = await site.world.http.post(`/iam/v2beta1/groups/${organization}`, {
      name: "payments",
      description: "as it was",
    });
    folder = body.uid;
    bob = await secondPerson(site, organization);
  });
  after(() => site.stop());

  /** A new tab of the person, which nothing of earlier tests is open in. */
  async function newTab(t: TestContext): Promise<Page> {
    const tab = await bob.page.context().newPage();
    tab.setDefaultTimeout(120_000);
    tab.on("pageerror", (error) => bob.complaints.push(String(error)));
    t.after(() => tab.close());
    return tab;
  }

  async function openFolder(tab: Page): Promise<void> {
    await tab.goto(site.at(`folders/${folder}`));
    await button(tab, "Edit").waitFor();
  }

  /** Two tabs at the folder, once the stream that they share is open. */
  async function openTabs(t: TestContext): Promise<readonly [Page, Page]> {
    const tabs = [await newTab(t), await newTab(t)] as const;
    const live = tabs[0].waitForResponse(/:watch/);
    for (const tab of tabs) await openFolder(tab);
    await live;
    return tabs;
  }

  const grant = () => site.world.bind(folder, bob.uid, "owner");

  async function revoke(binding: string): Promise<void> {
    const { status } = await site.world.http.delete(`/iam/v2beta1/roleBindings/${binding}`);
    assert.equal(status, 200);
  }

  async function offersNothing(tab: Page): Promise<void> {
    await withheld(tab).waitFor();
    for (const name of ["Edit", "Delete", "Create folder"]) {
      assert.equal(await button(tab, name).count(), 0, name);
    }
  }

  const stored = async () =>
    (await site.world.http.get(`/iam/v2beta1/groups/${folder}`)).body.description;

  /** The message that is left of a rejected change: one sentence, and the id of its request. */
  async function saysWhy(tab: Page, requestId: string): Promise<void> {
    const message = tab.locator(".toast");
    await message.getByText(requestId, { exact: true }).waitFor();
    const title = (await message.locator(".toast-title").textContent()) ?? "";
    assert.match(title, /^[A-Z][^.]+.*\.$/);
    assert.doesNotMatch(title, /Permission denied:/);
    await message.locator("button", { hasText: "Close" }).click();
    await message.waitFor({ state: "detached" });
  }

  test("stop offering a right that somebody else revokes, without a reload", async (t) => {
    const binding = await grant();
    const tabs = await openTabs(t);
    for (const tab of tabs) await tab.evaluate("globalThis.isSame = true");
    await revoke(binding);
    for (const tab of tabs) {
      await offersNothing(tab);
      assert.equal(await tab.evaluate("globalThis.isSame"), true);
    }
  });

  test("miss nothing that is revoked while they open", async (t) => {
    // The stream of the first tab, and what the second one hears of it, begin after the rights were read.
    for (const tab of [await newTab(t), await newTab(t)]) {
      const binding = await grant();
      const types = await Held.at(tab, /\/eventTypes/, "GET");
      await openFolder(tab);
      await types.arrived;
      await revoke(binding);
      await types.release();
      await offersNothing(tab);
    }
  });

  test("a change that was under way says why it failed, and changes nothing", async (t) => {
    const binding = await grant();
    const tabs = await openTabs(t);
    const [tab] = tabs;
    const change = await Held.at(tab, /\/iam\/v2beta1\/groups\//, "PATCH");
    const answered = tab.waitForResponse((one) => one.request().method() === "PATCH");
    await button(tab, "Edit").click();
    await tab.getByRole("dialog").getByLabel("Description").fill("as bob wants it");
    await button(tab, "Save").click();
    await change.arrived;
    await revoke(binding);
    for (const one of tabs) await offersNothing(one);
    await change.release();
    const answer = await answered;
    assert.equal(answer.status(), 403);
    await saysWhy(tab, (await answer.allHeaders())["x-request-id"] ?? "");
    await tab.getByText("as it was", { exact: true }).waitFor();
    assert.equal(await stored(), "as it was");
  });

  test("say that a form is closed with the right that it needs", async (t) => {
    const binding = await grant();
    const [tab] = await openTabs(t);
    await button(tab, "Edit").click();
    await tab.getByRole("dialog").getByLabel("Description").fill("as bob wants it");
    await revoke(binding);
    await tab.getByText(/^Not saved: the item was deleted/).waitFor();
    await offersNothing(tab);
    assert.equal(await tab.getByRole("dialog").getByLabel("Description").count(), 0);
    assert.equal(await stored(), "as it was");
  });

  test("a denied change says why, although its dialog is no longer offered", async (t) => {
    const binding = await grant();
    const tab = await newTab(t);
    // Without the stream, the tab learns from the denial.
    await tab.route(/:watch/, (route) => route.abort());
    await openFolder(tab);
    await button(tab, "Create folder").first().click();
    await tab.getByRole("dialog").getByLabel("Name").fill("ledger");
    await revoke(binding);
    const answered = tab.waitForResponse(/\/iam\/v2beta1\/groups\//);
    await tab.getByRole("dialog").getByRole("button", { name: "Create folder" }).click();
    const answer = await answered;
    assert.equal(answer.status(), 403);
    await offersNothing(tab);
    await saysWhy(tab, (await answer.allHeaders())["x-request-id"] ?? "");
    const path = `/iam/v2beta1/groups?uidp.children_of=${folder}`;
    assert.deepEqual((await site.world.http.get(path)).body.groups, []);
  });

  test("end with a session that is ended in another browser", async (t) => {
    await grant();
    const tabs = await openTabs(t);
    // This screen has no stream: the other tabs tell it.
    await bob.page.goto(site.at("account"));
    await site.heading("Account", bob.page).waitFor();
    const { http } = site.world;
    const { body } = await http.get(`/auth/v1/sessions?identity=${bob.uid}`);
    assert.equal(body.sessions.length, 1);
    const { status } = await http.delete(`/auth/v1/sessions/${body.sessions[0].id}`);
    assert.equal(status, 200);
    for (const tab of [...tabs, bob.page]) await tab.getByLabel("Username").waitFor();
    const headers = { authorization: `Bearer ${bob.token}` };
    const after = await fetch(`${site.world.server.url}/auth/v1/ok`, { headers });
    assert.equal(after.status, 401);
    await site.signIn("bob", tabs[1]);
    await site.heading("payments", tabs[1]).waitFor();
    assert.deepEqual(
      bob.complaints.filter((one) => !/status of 40[0134]/.test(one)),
      [],
    );
  });
});
