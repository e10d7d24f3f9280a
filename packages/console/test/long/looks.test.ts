/** What the console looks like: themes, forced colors, large screens, and changes before the server answers. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Page } from "playwright-core";
import { secondPerson } from "../support/second-person.ts";
import { ConsoleSite } from "../support/site.ts";

describe("what the console looks like", () => {
  let site: ConsoleSite;
  let page: Page;
  let organization: string;
  before(async () => {
    site = await ConsoleSite.start();
    ({ page, organization } = site);
    await site.signInAt(`folders/${organization}`, "acme");
  });
  after(() => site.stop());

  const color = (selector: string, property: string, on = page): Promise<string> =>
    on.evaluate(
      `getComputedStyle(document.querySelector(${JSON.stringify(selector)})).getPropertyValue("${property}")`,
    );
  const BLACK = "rgb(0, 0, 0)";
  const WHITE = "rgb(255, 255, 255)";

  test("follows the system, or a choice that stays and reaches all tabs", async () => {
    const other = await page.context().newPage();
    await other.goto(site.at("organizations"));
    await page.emulateMedia({ colorScheme: "dark", contrast: "more" });
    assert.equal(await color("body", "background-color"), BLACK);
    await page.emulateMedia({ colorScheme: "light", contrast: "no-preference" });
    const light = await color("body", "background-color");
    assert.notEqual(light, WHITE);

    await page.getByRole("button", { name: /^Account of/ }).focus();
    await page.keyboard.press("Enter");
    const choice = page.getByLabel("Theme");
    await choice.selectOption("High contrast");
    assert.equal(await color("body", "background-color"), WHITE);
    assert.equal(await color(".button.quiet", "border-top-width"), "2px");
    await other.locator("html[data-theme=contrast]").waitFor({ state: "attached" });
    await other.close();
    await page.reload();
    await site.heading("acme").waitFor();
    assert.equal(await color("body", "background-color"), WHITE);
    await page.getByRole("button", { name: /^Account of/ }).click();
    await choice.selectOption("Dark");
    const dark = await color("body", "background-color");
    assert.notEqual(dark, light);
    await choice.selectOption("As the system");
    assert.equal(await color("body", "background-color"), light);
    await page.keyboard.press("Escape");
    assert.deepEqual(site.complaints, []);
  });

  test("keeps selections, edges, badges and focus visible in forced colors", async () => {
    await page.emulateMedia({ forcedColors: "active" });
    const ground = await color("body", "background-color");
    for (const selected of [".side a[aria-current]", ".tree-item[aria-current]"]) {
      assert.notEqual(await color(selected, "background-color"), ground, selected);
      assert.notEqual(await color(selected, "color"), await color(selected, "background-color"));
    }
    assert.notEqual(await color(".side .icon", "stroke"), ground);
    assert.notEqual(await color(".button:not(.quiet)", "border-top-color"), ground);
    await page.keyboard.press("Tab");
    await page.keyboard.press("Tab");
    assert.equal(await color(":focus-visible", "outline-style"), "solid");
    assert.notEqual(await color(":focus-visible", "outline-color"), ground);
    await page.goto(site.at(`audit/${organization}?chart=yes`));
    await page.locator("tbody .badge").first().waitFor();
    await page.locator(".chart svg[role=img]").waitFor();
    assert.notEqual(await color("tbody .badge", "border-top-color"), ground);
    for (const part of [".chart .tone.good", ".chart .grid", ".chart text"]) {
      const property = part.endsWith("grid") ? "stroke" : "fill";
      assert.notEqual(await color(part, property), ground, part);
    }
    await page.emulateMedia({ forcedColors: "none" });
    assert.deepEqual(site.complaints, []);
  });

  test("uses a screen of 3840 pixels, with dialogs in its middle", async () => {
    const size = page.viewportSize();
    await page.setViewportSize({ width: 3840, height: 2160 });
    await page.goto(site.at(`access/${organization}`));
    const table = page.locator(".table-frame");
    await table.waitFor();
    const right = async (selector: string) => {
      const box = await page.locator(selector).first().boundingBox();
      assert.ok(box !== null, selector);
      return box;
    };
    const { x, width } = await right(".table-frame");
    assert.ok(x + width > 3_600, `the table ends at ${x + width}`);
    await site.button("Grant access").click();
    await page.getByRole("dialog").waitFor();
    const dialog = await right(".dialog");
    assert.ok(Math.abs(dialog.x + dialog.width / 2 - 1_920) < 20, "the dialog is centered");
    await page.keyboard.press("Escape");
    await page.setViewportSize(size ?? { width: 1280, height: 720 });
  });

  test("finds people by name when access is granted, and none of other organizations", async () => {
    const person = await secondPerson(site, organization, { name: "grace.hopper" });
    const elsewhere = await site.world.organization();
    await secondPerson(site, elsewhere, { name: "grace.elsewhere" });
    await page.goto(site.at(`access/${organization}`));
    await site.button("Grant access").click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Identity").fill("HOPPER");
    await page.getByRole("option", { name: /grace\.hopper/ }).click();
    await dialog.getByLabel("Role").fill("owner");
    await page
      .getByRole("option", { name: /^owner/ })
      .first()
      .click();
    await dialog.getByRole("button", { name: "Grant access" }).click();
    await page.getByText("Access was granted.").waitFor();
    const path = `/iam/v2beta1/roleBindings?identity=${person.uid}`;
    assert.equal((await site.world.http.get(path)).body.roleBindings.length, 2);

    await site.button("Grant access").click();
    await dialog.getByLabel("Identity").fill("elsewhere");
    await page.getByText("Nothing was found for elsewhere.").waitFor();
    await page.keyboard.press("Escape");
    await dialog.getByRole("link", { name: "Invite someone new" }).click();
    await site.heading("People").waitFor();
    assert.deepEqual(site.complaints, []);
  });

  test("shows a change before the server answers, and takes it back when it is rejected", async () => {
    // Of events that do not happen here: nobody receives them, and a delivery that fails changes the badge.
    const filters = [{ glob: { type: "*.iam.group.created.*" } }];
    const subscription = { name: "deployments", sink: "https://sink.example.com/", filters };
    const path = `/events/v2beta1/subscriptions/${organization}`;
    const { uid } = await site.post(path, subscription);
    await page.goto(site.at(`subscription/${uid}`));
    await site.heading("deployments").waitFor();
    let answer = () => {};
    const rejected = new Promise<void>((resolve) => {
      answer = resolve;
    });
    const isUpdate = (url: URL) => url.pathname.startsWith("/events/v2beta1/subscriptions/");
    await page.route(isUpdate, async (route) => {
      if (route.request().method() !== "PATCH") return route.continue();
      await rejected;
      await route.fulfill({
        status: 403,
        json: { code: 7, message: "Permission denied: subscriptions.update", details: [] },
      });
    });
    await site.button("Pause").click();
    await page.locator(".badge", { hasText: "paused" }).waitFor();
    await page.getByRole("button", { name: "Resume" }).waitFor();
    answer();
    await site.button("Pause").waitFor();
    await page.locator(".badge", { hasText: "active" }).waitFor();
    await page.locator(".toast", { hasText: "subscriptions.update" }).waitFor();
    await page.unroute(isUpdate);
    await site.button("Pause").click();
    await page.getByText("The subscription is paused.").waitFor();
    site.forgetComplaints(/403/);
    assert.deepEqual(site.complaints, []);
  });
});
