import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { ROOT } from "../../../../scripts/step.ts";
import { ACTIVITY } from "../areas/activity.ts";
import { ADVISORIES } from "../areas/advisories.ts";
import { EXPOSURE } from "../areas/exposure.ts";
import { PEOPLE } from "../areas/people.ts";
import { REGISTRY } from "../areas/registry.ts";
import { WORKLOADS } from "../areas/workloads.ts";
import type { Area, Filled } from "../support/area.ts";
import { AA, addAxe, violations } from "../support/axe.ts";
import { Keyboard } from "../support/keyboard.ts";
import { ConsoleSite } from "../support/site.ts";

const AREAS: Readonly<Record<string, Area>> = {
  people: PEOPLE,
  registry: REGISTRY,
  advisories: ADVISORIES,
  exposure: EXPOSURE,
  activity: ACTIVITY,
  workloads: WORKLOADS,
};

const AA_COLORS = { type: "rule", values: ["color-contrast", "link-in-text-block"] };
const AAA_COLORS = { type: "rule", values: ["color-contrast-enhanced", "link-in-text-block"] };

const THEMES = [
  ["light", { colorScheme: "light", isHighContrast: false, rules: AA, hasPicture: true }],
  ["dark", { colorScheme: "dark", isHighContrast: false, rules: AA_COLORS, hasPicture: true }],
  ["contrast", { colorScheme: "dark", isHighContrast: true, rules: AAA_COLORS, hasPicture: true }],
  [
    "contrast-light",
    { colorScheme: "light", isHighContrast: true, rules: AAA_COLORS, hasPicture: false },
  ],
] as const;

/** High contrast colors the messages of empty and failed screens alike everywhere: one of each area shows it. */
const themesOf = (at: number) => (at === 0 ? THEMES : THEMES.slice(0, 2));

/** Where people find a picture of every screen after the test. */
const PICTURES = join(ROOT, "release", "screens");

/** Reads of a screen, as opposed to those of its frame, which every screen needs. */
const CONTENT = /\/(iam|registry|vulnerabilities|exposure|events|audit)\/v/;

/** The width of what a frame shows. */
const WIDTH_OF_FRAME = `new Promise((resolve) =>
  requestAnimationFrame(() => resolve(document.documentElement.scrollWidth)))`;

/** More frames than any screen takes to follow the size of its window. */
const MAX_FRAMES = 300;

describe("every screen of the console", () => {
  let site: ConsoleSite;
  let keys: Keyboard;
  let organization: string;
  before(async () => {
    mkdirSync(PICTURES, { recursive: true });
    site = await ConsoleSite.startWithRegistry();
    keys = await Keyboard.of(site.page);
    await addAxe(site.page);
    ({ organization } = site);
    await site.signInAt();
  });
  after(() => site.stop());

  async function open(path: string): Promise<void> {
    await site.page.goto(site.at(path));
    await site.page.getByRole("heading", { level: 1 }).waitFor();
    await site.page.locator("main .loading").first().waitFor({ state: "detached" });
  }

  /** Looks at a screen in several themes. Only the colors differ, so that the other rules are checked once. */
  async function check(
    path: string,
    picture: string,
    themes: readonly (typeof THEMES)[number][] = THEMES,
  ): Promise<void> {
    await open(path);
    for (const [theme, { colorScheme, isHighContrast, rules, hasPicture }] of themes) {
      await site.page.emulateMedia({ colorScheme });
      await choose(isHighContrast ? "contrast" : null);
      if (hasPicture) {
        await site.page.screenshot({ path: join(PICTURES, `${picture}-${theme}.png`) });
      }
      assert.deepEqual(await violations(site.page, rules), [], `${path} (${theme})`);
    }
  }

  /** Makes the screen as narrow as that of a phone: it must not scroll sideways. Charts follow with the next frames. */
  async function checkWidth(path: string): Promise<void> {
    const size = site.page.viewportSize();
    await choose(null);
    await site.page.setViewportSize({ width: 320, height: 640 });
    let width = 0;
    for (let frame = 0; width !== 320 && frame < MAX_FRAMES; frame++) {
      width = await site.page.evaluate(WIDTH_OF_FRAME);
    }
    assert.equal(width, 320, path);
    await site.page.setViewportSize(size ?? { width: 1280, height: 720 });
  }

  /** Recolors the page as the choice of a theme does, without opening the menu. */
  function choose(theme: string | null): Promise<void> {
    const change =
      theme === null ? `removeAttribute("data-theme")` : `setAttribute("data-theme", "${theme}")`;
    return site.page.evaluate(`document.documentElement.${change}`);
  }

  for (const [name, area] of Object.entries(AREAS)) {
    describe(`of ${name}`, () => {
      let filled: Filled;
      before(async () => {
        filled = await area.fill(site, organization);
      });

      test("has no violations of WCAG 2.2 AA with content, 7:1 in high contrast, is walked by Tab and fits 320 pixels", async () => {
        for (const [screen, path] of Object.entries(area.screens)) {
          await check(path(filled), screen);
          await keys.around();
          await checkWidth(path(filled));
        }
        assert.deepEqual(site.complaints, []);
      });

      test("tells what belongs there while it is empty", async () => {
        const { uid } = await site.post("/iam/v2beta1/groups", { name: `new-${name}` });
        for (const [at, screen] of area.empty.entries()) {
          await check(`${screen}/${uid}`, `${screen}-empty`, themesOf(at));
          await site.page.locator(".empty").first().waitFor();
        }
        assert.deepEqual(site.complaints, []);
      });

      test("says what went wrong, with the id of the request", async () => {
        await site.page.route(CONTENT, (route) =>
          route.fulfill({
            status: 403,
            headers: { "x-request-id": "0123456789abcdef", "content-type": "application/json" },
            json: { code: 7, message: "missing capability groups.list", details: [] },
          }),
        );
        try {
          for (const [at, screen] of (area.failing ?? area.empty).entries()) {
            await check(`${screen}/${organization}`, `${screen}-error`, themesOf(at));
            await site.page.locator("main [role=alert]").first().waitFor();
          }
        } finally {
          // Nothing is on its way any more that would complain later.
          await site.page.goto("about:blank");
          await site.page.unroute(CONTENT);
        }
        site.forgetComplaints(/403/);
      });
    });
  }
});
