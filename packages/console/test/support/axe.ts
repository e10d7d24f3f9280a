/** Rules of axe-core, run in pages of the console. */
import { createRequire } from "node:module";
import type { Page } from "playwright-core";

/** Axe, minified: the browser compiles it for every screen. */
const AXE = createRequire(import.meta.url).resolve("axe-core/axe.min.js");

export const AA = {
  type: "tag",
  values: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"],
};

/** Adds axe to all pages that are loaded from now on: as an init script, because they allow no scripts of others. */
export function addAxe(page: Page): Promise<unknown> {
  return page.addInitScript({ path: AXE });
}

/** The violations of rules. Most of its time, axe would make selectors of all elements, also of those without violations. */
export function violations(page: Page, rules: object): Promise<string[]> {
  const options = { runOnly: rules, resultTypes: ["violations"], selectors: false };
  return page.evaluate(
    `axe.run(${JSON.stringify(options)}).then(({ violations }) => violations.flatMap(
      ({ id, nodes }) => nodes.map((node) => id + ": " + node.html.slice(0, 200))))`,
  );
}
