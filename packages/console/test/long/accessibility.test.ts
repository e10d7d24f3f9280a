import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import axe from "axe-core";
import { ConsoleSite, PLACE_SCREENS } from "../support/site.ts";

const TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"];

describe("the accessibility of the console", () => {
  let site: ConsoleSite;
  before(async () => {
    site = await ConsoleSite.start();
    await site.page.goto(site.at("organizations"));
    await site.signIn();
    await site.heading("Organizations").waitFor();
  });
  after(() => site.stop());

  /** What axe finds; evaluated, because the page allows no scripts of others. */
  async function violations(): Promise<string[]> {
    await site.page.evaluate(axe.source);
    return await site.page.evaluate(
      `axe.run({ runOnly: ${JSON.stringify(TAGS)} }).then(({ violations }) => violations.flatMap(
        ({ id, nodes }) => nodes.map((node) => id + ": " + node.html.slice(0, 200))))`,
    );
  }

  for (const colorScheme of ["light", "dark"] as const) {
    test(`has no violations of WCAG 2.2 AA on any screen, ${colorScheme}`, async () => {
      const { page } = site;
      const uid = await site.organization();
      await page.emulateMedia({ colorScheme });
      const places = PLACE_SCREENS.map((screen) => `${screen}/${uid}`);
      for (const screen of ["organizations", "account", "nothing-here", ...places]) {
        await page.goto(site.at(screen));
        await page.getByRole("heading", { level: 1 }).waitFor();
        await page.locator("main .loading").first().waitFor({ state: "detached" });
        assert.deepEqual(await violations(), [], screen);
      }
      assert.deepEqual(site.complaints, []);
    });
  }

  test("does not scroll sideways on a narrow screen", async () => {
    const { page } = site;
    const uid = await site.organization();
    await page.setViewportSize({ width: 320, height: 640 });
    for (const screen of PLACE_SCREENS) {
      await page.goto(site.at(`${screen}/${uid}`));
      await page.getByRole("heading", { level: 1 }).waitFor();
      await page.locator("main .loading").first().waitFor({ state: "detached" });
      const width = await page.evaluate("document.documentElement.scrollWidth");
      assert.equal(width, 320, screen);
    }
  });
});
