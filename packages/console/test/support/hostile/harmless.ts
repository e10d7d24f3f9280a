import assert from "node:assert/strict";
import type { ConsoleSite } from "../site.ts";

/** What no text may add to a page. */
const FOREIGN =
  "img[src], iframe, object, embed, base, form[action], script:not([src^='/console/']), [onerror], [onload], [style*='url']";

/** Links that lead to anything but web and mail addresses. */
const SCRIPTS = `[...document.links].filter(({ protocol }) => !/^(https?|mailto):$/.test(protocol)).map(({ href }) => href)`;

const WIDTH = "document.documentElement.scrollWidth - innerWidth";

/** Opens a screen: nothing runs, nothing leads to a script, nothing leaves the window. Returns its text. */
export async function openHarmless(site: ConsoleSite, screen: string): Promise<string> {
  const { page } = site;
  await page.goto(site.at(screen));
  await page.getByRole("heading", { level: 1 }).waitFor();
  await page.locator("main .loading").first().waitFor({ state: "detached" });
  await assertHarmless(site, screen);
  return (await page.locator("main").textContent()) ?? "";
}

/** Asserts the same of what is open. */
export async function assertHarmless(site: ConsoleSite, screen: string): Promise<void> {
  const { page } = site;
  const foreign = await page.locator(FOREIGN).evaluateAll((all) => all.map(String));
  assert.deepEqual(foreign, [], screen);
  assert.deepEqual(await page.evaluate(SCRIPTS), [], screen);
  assert.ok((await page.evaluate<number>(WIDTH)) <= 0, `${screen} scrolls sideways`);
  assert.deepEqual(site.complaints, [], screen);
}
