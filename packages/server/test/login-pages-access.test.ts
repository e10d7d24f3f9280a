import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Browser, Page } from "playwright-core";
import { html } from "../src/login/pages/html.ts";
import { page as layout } from "../src/login/pages/layout.ts";
import { accessibilityViolations } from "./support/browser/accessibility.ts";
import { launchBrowser, openPage } from "./support/browser/browser.ts";
import { LoginSite, samplePages } from "./support/browser/login-site.ts";

describe("accessibility of the sign-in pages", () => {
  let browser: Browser;
  let site: LoginSite;
  before(async () => {
    browser = await launchBrowser();
    site = await LoginSite.start();
    for (const [path, text] of samplePages(site.url)) site.pages.set(path, text);
  });
  after(async () => {
    await browser?.close();
    await site?.stop();
  });

  const height = 740;

  // Opening a page costs the browser far more than showing it otherwise.
  describe("each page", () => {
    let page: Page;
    let complaints: string[];
    before(async () => {
      ({ page, complaints } = await openPage(browser));
    });
    after(() => page.context().close());

    for (const path of samplePages("").keys()) {
      test(path, async () => {
        assert.equal((await page.goto(site.url + path))?.status(), 200);
        for (const colorScheme of ["light", "dark"] as const) {
          await page.emulateMedia({ colorScheme });
          for (const width of [360, 1280]) {
            await page.setViewportSize({ width, height });
            const found = await accessibilityViolations(page);
            assert.deepEqual(found, [], `${colorScheme}, ${width} pixels wide`);
          }
        }
        await page.setViewportSize({ width: 640, height });
        await page.evaluate(`document.documentElement.style.fontSize = "200%"`);
        const found = (await accessibilityViolations(page)).filter((text) => /scrolls/.test(text));
        assert.deepEqual(found, [], "fits at 200% text size");
        assert.deepEqual(complaints, [], "no errors in the console");
      });
    }
  });

  test("the two color schemes differ", async () => {
    const { page } = await openPage(browser);
    await page.goto(`${site.url}/choose`);
    const colors = [];
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme });
      colors.push(await page.evaluate(`getComputedStyle(document.body).backgroundColor`));
    }
    assert.deepEqual(colors, ["rgb(243, 246, 248)", "rgb(14, 21, 27)"]);
    await page.context().close();
  });

  test("the checks find known violations (self-check)", async () => {
    const bad = html`<h2>Early</h2><h1>Late</h1>
<input id="a" name="a"><span id="a"></span><button type="button" class="quiet"></button>
<p class="alert"><a href="/x" class="button quiet">x</a></p><p class="faint">${"y".repeat(9)}</p>`;
    site.pages.set("/bad", layout({ title: "Bad", body: bad }));
    const { page } = await openPage(browser, { viewport: { width: 360, height: 740 } });
    await page.goto(`${site.url}/bad`);
    await page.evaluate(`
      document.documentElement.lang = "";
      document.querySelector(".faint").style.cssText = "color: #999; width: 500px";
    `);
    const found = (await accessibilityViolations(page)).join("\n");
    for (const what of [
      /no language/,
      /not one h1 first/,
      /no label/,
      /no autocomplete/,
      /an id twice/,
      /no name/,
      /text at 2\.\d+/,
      /scrolls sideways/,
    ])
      assert.match(found, what);
    await page.context().close();
    site.pages.delete("/bad");
  });
});
