/** The storage of a group in the console: usage, retention and upstreams. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Page } from "playwright-core";
import type { Logger } from "../../server/src/observe/logger.ts";
import { UsageHistory } from "../../server/src/registry/usage/usage-history.ts";
import { DirectStore } from "../../server/test/support/server/direct-store.ts";
import { ImageWorld } from "../../server/test/support/world/image-world.ts";
import { AA, addAxe, violations } from "./support/axe.ts";
import { secondPerson } from "./support/second-person.ts";
import { ConsoleSite } from "./support/site.ts";

const DAY_MS = 86_400_000;

/** The folder for pictures of the screens, for those who look at them. */
const { PICTURES } = process.env;

describe("storage in the console", () => {
  let site: ConsoleSite;
  let page: Page;
  let organization: string;
  let team: string;
  before(async () => {
    site = await ConsoleSite.startAsRegistry();
    ({ page, organization } = site);
    ({ team } = site.world.registry);
    await addAxe(page);
    const images = await ImageWorld.of(site.world);
    await images.push("acme/team/api", "v1", Buffer.alloc(600_000, "a"));
    for (const tag of ["nightly-1", "nightly-2", "nightly-3"]) {
      await images.push("acme/team/api", tag, Buffer.alloc(100_000, tag));
    }
    await images.push("acme/tool", "1", Buffer.alloc(50_000, "tool"));
    const api = site.world.operator();
    await api.groups.update(team, { resourceLimits: { registry_mb: 1, tags: 40 } });
    const direct = await DirectStore.open(site.world.server);
    const history = new UsageHistory(direct.store, { error() {} } as unknown as Logger);
    for (const days of [60, 2, 1, 0]) await history.pass(Date.now() - days * DAY_MS);
    await history.stop();
    await direct.close();
    await site.signInAt(`storage/${organization}`, "Storage");
  });
  after(() => site.stop());

  const rows = (table: string) =>
    page.getByRole("table", { name: table }).locator("tbody").getByRole("row");

  /** Looks at the screen in both themes, and as wide as a phone. */
  async function look(name: string): Promise<void> {
    const size = page.viewportSize() ?? { width: 1280, height: 720 };
    for (const [colorScheme, width] of [
      ["light", size.width],
      ["dark", size.width],
      ["light", 390],
    ] as const) {
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize({ width, height: size.height });
      assert.deepEqual(await violations(page, AA), [], `${name} ${colorScheme} ${width}`);
      await page.waitForFunction("document.documentElement.scrollWidth <= window.innerWidth");
      const path = `${PICTURES}/${name}-${colorScheme}-${width}.png`;
      if (PICTURES) await page.screenshot({ path, fullPage: true });
    }
    await page.setViewportSize(size);
  }

  const open = async (tab: string, group = team) => {
    await page.goto(site.at(`storage/${group}${tab && `?tab=${tab}`}`));
    await site.heading("Storage").waitFor();
  };

  test("usage has the bytes, the quotas, the days, and what is largest", async () => {
    await page.getByRole("link", { name: "Storage", exact: true }).waitFor();
    await page.getByRole("figure", { name: "Largest folders" }).getByRole("link").click();
    await page.getByText("Bytes of acme/team").waitFor();
    await page.getByText(/^9\d\d(\.\d)? kB of 1 MB \(9\d%\)$/).waitFor();
    await page.getByText("4 of 40 (10%)").waitFor();
    const chart = page.getByRole("figure", { name: "Stored bytes by day" });
    const days = chart.locator("tbody tr");
    assert.equal(await days.count(), 3);
    await page.getByRole("combobox", { name: "Show", exact: true }).selectOption("90 days");
    // The days without a count are between those with one, as columns of their own.
    await days.nth(60).waitFor({ state: "attached" });
    assert.equal(await days.count(), 61);
    assert.match(page.url(), /history=90d/);
    assert.match((await days.last().textContent()) ?? "", /9\d\d(\.\d)? kB/);
    await look("usage");
    await page.getByRole("link", { name: "api", exact: true }).click();
    await site.heading("api").waitFor();
    assert.deepEqual(site.complaints, []);
  });

  test("without a policy, nothing is deleted, and the command creates one", async () => {
    await open("retention");
    await page.getByRole("heading", { name: "Nothing is deleted", exact: true }).waitFor();
    await page.getByText("wharf retention create --parent acme/team").waitFor();
    await site.button("Preview").click();
    await page.getByText("Nothing is deleted as things are.").waitFor();
    await look("retention-empty");
  });

  test("a policy of a folder below is listed, and nobody says that nothing is deleted", async () => {
    const { retentionPolicies } = site.world.operator();
    await retentionPolicies.create(team, { keep: [{ name: "few", newest: 3 }] });
    await open("retention", organization);
    await page.getByText("few: all tags, only the newest 3").waitFor();
    await page.getByRole("link", { name: "acme / team", exact: true }).waitFor();
    await page.getByRole("heading", { name: "No policy of this group" }).waitFor();
    await look("retention-below");
    await retentionPolicies.delete(team);
  });

  test("the policy of a group above applies, and the preview has what it deletes and when", async () => {
    const keep = [
      { name: "releases", tags: ["v*"] },
      { name: "recent", tags: ["nightly-*"], newest: 1, pushedWithinDays: 90 },
    ];
    const policy = { keep, announceDays: 7, untaggedDays: 30, description: "Nightlies go." };
    await site.world.operator().retentionPolicies.create(organization, policy);
    await open("retention");
    await page.getByText("for 7 days").waitFor();
    await page.getByText("recent: nightly-*, only the newest 1, pushed within 90 days").waitFor();
    await page.locator("dd").getByRole("link", { name: "acme", exact: true }).waitFor();
    await site.button("Preview").click();
    await page.getByText(/^2 of 4 tags( and \d images)?, \d+(\.\d)? kB$/).waitFor();
    const texts = await rows("What is deleted, and when").allTextContents();
    const tags = texts.map((text) => /api:(nightly-\d)sha256:/.exec(text)?.[1]).filter(Boolean);
    assert.deepEqual(tags.sort(), ["nightly-1", "nightly-2"]);
    assert.ok(texts.every((text) => text.includes("recent: ") || !text.includes("api:")));
    await look("retention");
    assert.deepEqual(site.complaints, []);
  });

  test("an upstream is created by command, and a check shows why it fails", async () => {
    await open("upstreams");
    await page.getByText("wharf upstreams create acme/team --url").waitFor();
    await look("upstreams-empty");
    const url = "https://upstream.invalid";
    await site.world.operator().upstreams.create(team, { url, mode: "UPSTREAM_MODE_CACHE" });
    await open("upstreams");
    const row = rows("Upstreams");
    await row.getByText("never").waitFor();
    await row.getByRole("button", { name: `Check ${url}` }).click();
    await row.getByText("It fails").waitFor();
    await row
      .getByText(/upstream\.invalid.+/)
      .last()
      .waitFor();
    await look("upstreams");
    assert.deepEqual(site.complaints, []);
  });

  test("an error can be tried again", async () => {
    const usage = (url: URL) => url.pathname.startsWith("/registry/v2beta1/usage/");
    await page.route(usage, (route) =>
      route.fulfill({ status: 500, json: { code: 13, message: "Internal: broken", details: [] } }),
    );
    await open("");
    await page.locator("main [role=alert]").waitFor();
    await page.unroute(usage);
    await site.button("Try again").click();
    await page.getByText("Bytes of acme/team").waitFor();
    site.forgetComplaints(/500/);
  });

  test("who lacks the rights reads a sentence, and no claim that nothing is deleted", async () => {
    const member = await site.world.member({ [team]: ["groups.list", "repo.list"] });
    const other = await site.pageOf(member, "eve");
    for (const [tab, text] of [
      ["usage", /needs repo\.list and tag\.list/],
      ["retention", /needs registry\.settings\.list/],
    ] as const) {
      await other.goto(site.at(`storage/${team}?tab=${tab}`));
      await other.getByText(text).waitFor();
      assert.equal(await other.getByText("Nothing is deleted").count(), 0);
    }
    await other.goto(site.at(`storage/${team}?tab=upstreams`));
    await other.getByText("https://upstream.invalid").waitFor();
    assert.equal(await other.getByRole("button", { name: /^Check/ }).count(), 0);
    site.forgetComplaints(/403/);
    const viewer = await secondPerson(site, team, { screen: `storage/${team}?tab=retention` });
    await viewer.page.getByText("A policy of a group above may apply").waitFor();
    assert.deepEqual(site.complaints, []);
  });
});
