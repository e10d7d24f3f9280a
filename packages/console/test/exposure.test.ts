/** The way of a vulnerability through the console: pushed, seen, decided on, approved by somebody else, suppressed. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Locator, Page } from "playwright-core";
import { ExposureWorld } from "../../server/test/support/exposure/exposure-world.ts";
import { HIGH, osv } from "../../server/test/support/exposure/osv-records.ts";
import { ImageWorld, layerOf, spdxOf } from "../../server/test/support/world/image-world.ts";
import { AA, addAxe, violations } from "./support/axe.ts";
import { secondPerson } from "./support/second-person.ts";
import { ConsoleSite, savedText } from "./support/site.ts";

const CVE = "CVE-2026-7001";

describe("vulnerabilities in the console", () => {
  let site: ConsoleSite;
  let page: Page;
  let images: ImageWorld;
  let exposure: ExposureWorld;
  let dialog: Locator;
  let repo: string;
  let digest: string;

  before(async () => {
    site = await ConsoleSite.startAsRegistry();
    ({ page } = site);
    await addAxe(page);
    dialog = page.getByRole("dialog").filter({ has: page.locator("form") });
    images = await ImageWorld.of(site.world);
    for (const [tag, version] of [
      ["1.0", "1.2.0"],
      ["1.1", "1.3.1"],
    ] as const) {
      const pushed = await images.push("acme/team/api", tag, layerOf({ "srv/tag": tag }));
      const purls = [`pkg:npm/left-pad@${version}`, "pkg:npm/right-pad@2.0.0"];
      await images.attach("acme/team/api", pushed.digest, "application/spdx+json", spdxOf(purls));
      if (tag === "1.0") ({ digest } = pushed);
    }
    exposure = await ExposureWorld.open(site.world);
    const severity = [{ type: "CVSS_V3", score: HIGH }];
    const more = { aliases: [CVE], summary: "Pads without end", severity };
    await exposure.importOsv(
      site.organization,
      osv("GHSA-2222-3333-4444", "npm", "left-pad", "1.3.0", more),
    );
    await exposure.drain();
    repo = await images.repo("acme/team/api");
    await site.signInAt(`vulnerabilities/${site.organization}`, "Vulnerabilities");
  });
  after(async () => {
    await exposure.close();
    await site.stop();
  });

  const rows = (table: string, on = page) =>
    on.getByRole("table", { name: table }).locator("tbody").getByRole("row");
  const checkAxe = async () => assert.deepEqual(await violations(page, AA), []);

  test("the overview leads to the list, and the search to the vulnerability", async () => {
    const tile = page.getByRole("link", { name: /^High, open/ });
    assert.match((await tile.textContent()) ?? "", /High, open11 with a fix/);
    await tile.click();
    await rows("Vulnerabilities").getByText("Pads without end").waitFor();
    assert.equal(await rows("Vulnerabilities").count(), 1);
    await page.getByRole("button", { name: "Critical", exact: true }).click();
    await page.getByRole("button", { name: "High", exact: true }).click();
    await page.getByRole("heading", { name: "Nothing matches" }).waitFor();
    assert.match(page.url(), /severity=critical(?!,)/);
    await page.getByLabel("Find a vulnerability, package or image").fill("7001");
    await page.getByRole("option", { name: /CVE-2026-7001/ }).waitFor();
    await checkAxe();
    await page.getByRole("option", { name: /CVE-2026-7001/ }).click();
    await site.heading(CVE).waitFor();
    await page.getByRole("link", { name: "Where it is fixed" }).click();
    const tags = rows("acme/team/api");
    await tags.first().waitFor();
    assert.deepEqual(
      (await tags.allTextContents()).map(
        (text) => /^(1\.\d)(affected|has the fix)/.exec(text)?.[0],
      ),
      ["1.0affected", "1.1has the fix"],
    );
    assert.deepEqual(site.complaints, []);
  });

  test("Ctrl-K finds it by another name, and packages", async () => {
    await page.goto(site.at(`repo/${repo}`));
    await site.heading("api").waitFor();
    const find = page.getByRole("combobox", { name: /^Find pages/ });
    const found = async (text: string, option: RegExp) => {
      await page.keyboard.press("Control+k");
      await find.fill(text);
      await page.getByRole("option", { name: option }).click();
    };
    await found("ghsa-2222-3333-4444", /^CVE-2026-7001.*vulnerability: High, 1 image/);
    await site.heading(CVE).waitFor();
    await found("right-p", /^right-pad.*package: npm, 2 images/);
    await site.heading("right-pad").waitFor();
    assert.deepEqual(site.complaints, []);
  });

  test("the tags of a repository have the numbers of their findings", async () => {
    await page.goto(site.at(`repo/${repo}`));
    await rows("Tags").filter({ hasText: "1.1" }).getByText("none open").waitFor();
    await checkAxe();
    await rows("Tags").filter({ hasText: "1.0" }).getByRole("link", { name: "1 High" }).click();
    await rows("Vulnerabilities").getByText("Pads without end").waitFor();
    assert.deepEqual(site.complaints, []);
  });

  test("its evidence says what was compared", async () => {
    await page.goto(site.at(`vulnerability/${site.organization}/${CVE}`));
    await page.getByRole("button", { name: `Why ${CVE} in left-pad` }).click();
    const evidence = page.getByRole("dialog", { name: "Evidence" });
    await evidence.getByText("1.2.0 (npm)").waitFor();
    await evidence.getByText("from the first version to before 1.3.0").waitFor();
    await checkAxe();
    await page.keyboard.press("Escape");
  });

  test("a decision suppresses it once somebody else has approved it", async () => {
    await page.goto(site.at(`image/${repo}/${digest}?tab=vulnerabilities`));
    await rows("Vulnerabilities").getByRole("button", { name: "Decide" }).click();
    await dialog.getByLabel("Decision").selectOption("Accept the risk");
    await dialog.getByLabel("Reason").fill("Nobody pads here.");
    await dialog.getByRole("button", { name: "Decide" }).click();
    await dialog.getByText("Accepting a risk needs an end.").waitFor();
    await dialog.getByLabel("Decision").selectOption("Not affected");
    await dialog.getByLabel("Ends").selectOption("in 90 days");
    await dialog.getByLabel("Applies to").selectOption("All images of acme/team/api");
    await checkAxe();
    await dialog.getByRole("button", { name: "Decide" }).click();
    await dialog.waitFor({ state: "detached" });

    await page.goto(site.at(`vulnerability/${site.organization}/${CVE}?tab=decisions`));
    await page.getByText("yours: somebody else reviews it").waitFor();
    assert.equal(await page.getByRole("button", { name: "Review", exact: true }).count(), 0);

    const screen = `vulnerabilities/${site.organization}?tab=decisions&review=pending`;
    const bob = await secondPerson(site, site.organization, { role: "owner", screen });
    await rows("Decisions", bob.page).getByRole("button", { name: "Review" }).click();
    const review = bob.page.getByRole("dialog").filter({ has: bob.page.locator("form") });
    await review.getByText("Nobody pads here.").waitFor();
    await review.getByLabel("Comment").fill("Agreed.");
    await review.getByRole("button", { name: "Review" }).click();
    await bob.page.getByText("Approved: it takes effect now").waitFor();
    await exposure.drain();
    await page.goto(site.at(`vulnerability/${site.organization}/${CVE}?tab=suppressed`));
    const row = rows("Not affected");
    for (const text of [
      "Decision by ada",
      "The vulnerable code is never executed",
      "Nobody pads",
    ]) {
      await row.getByText(text).waitFor();
    }
    await row.getByText(/^Ends in (3 months|90 days)$/).waitFor();
    await page.goto(site.at(`image/${repo}/${digest}?tab=vulnerabilities`));
    await page.getByRole("heading", { name: "No open finding" }).waitFor();
    assert.deepEqual(site.complaints, []);
  });

  test("the export has who decided and why", async () => {
    await page.goto(site.at(`vulnerability/${site.organization}/${CVE}`));
    await site.button("Export").click();
    await dialog.getByLabel("Format").selectOption("OpenVEX 0.2.0");
    const saved = savedText(page.waitForEvent("download"));
    await dialog.getByRole("button", { name: "Export" }).click();
    const [statement, ...others] = JSON.parse(await saved).statements;
    assert.deepEqual(others, []);
    assert.equal(statement.vulnerability.name, CVE);
    assert.equal(statement.status, "not_affected");
    assert.equal(statement.justification, "vulnerable_code_not_in_execute_path");
    assert.equal(statement.impact_statement, "Nobody pads here.");
    const [, url] = statement.products[0]["@id"].split("repository_url=");
    assert.equal(url, "registry.test%2Facme%2Fteam%2Fapi");
  });

  test("OpenVEX of no finding is an error in words", async () => {
    await page.goto(site.at(`image/${repo}/${digest}?tab=vulnerabilities`));
    await page.getByRole("heading", { name: "No open finding" }).waitFor();
    await site.button("Export").click();
    await dialog.getByLabel("Format").selectOption("OpenVEX 0.2.0");
    await dialog.getByRole("button", { name: "Export" }).click();
    await dialog
      .getByText("There are no findings: an OpenVEX document has at least one statement.")
      .waitFor();
    await dialog.getByRole("button", { name: "Cancel" }).click();
    await dialog.waitFor({ state: "detached" });
  });

  test("an image without packages is never clean, and an uploaded SBOM changes that", async () => {
    const bare = await images.push("acme/team/bare", "1", layerOf({ "srv/run": "true" }));
    await exposure.drain();
    const at = `image/${await images.repo("acme/team/bare")}/${bare.digest}`;
    await page.goto(site.at(`${at}?tab=vulnerabilities`));
    await page.getByText(/no SBOM, and the layers have no package database/).waitFor();
    await page.goto(site.at(`vulnerabilities/${site.organization}`));
    const tile = page.getByRole("link", { name: /^Without packages/ });
    assert.match((await tile.textContent()) ?? "", /Without packages1/);
    await tile.click();
    await rows("Images").getByText("No packages known").waitFor();
    assert.equal(await rows("Images").count(), 1);
    await checkAxe();
    await page.getByRole("button", { name: "Known", exact: true }).click();
    await rows("Images").nth(2).waitFor();
    await rows("Images").getByRole("link", { name: "acme/team/bare" }).click();
    await page.getByRole("heading", { name: "Not known" }).waitFor();
    assert.equal(await page.getByRole("heading", { name: "No open finding" }).count(), 0);
    await page.goto(site.at(`${at}?tab=packages`));
    await site.button("Upload SBOM or VEX").click();
    const upload = async (content: string) => {
      const file = {
        name: "sbom.json",
        mimeType: "application/json",
        buffer: Buffer.from(content),
      };
      await dialog.getByLabel("File").setInputFiles(file);
      await dialog.getByRole("button", { name: "Upload SBOM or VEX" }).click();
    };
    await upload(`{"spdxVersion":"SPDX-3.0"}`);
    await dialog.getByText(/SPDX-3\.0.*not supported/).waitFor();
    await checkAxe();
    await upload(spdxOf(["pkg:npm/left-pad@1.0.0"]));
    await dialog.waitFor({ state: "detached" });
    await rows("Packages").getByText("left-pad").waitFor();
    await page.goto(site.at(`${at}?tab=vulnerabilities`));
    await rows("Vulnerabilities").getByText(CVE).waitFor();
    assert.deepEqual(site.complaints, []);
  });

  test("two tags differ in packages and findings", async () => {
    await page.goto(site.at(`compare/${repo}`));
    await page.getByLabel("From").fill("1.1");
    await page.getByLabel("To").fill("1.0");
    await site.button("Compare").click();
    await rows("Changed packages").getByText("1.3.1").waitFor();
    await site.button("Swap").click();
    await page.locator("input[name=from][value='1.0']").waitFor();
    assert.deepEqual(site.complaints, []);
  });

  test("a source is added, shown with its state, and deleted", async () => {
    await page.goto(site.at(`vulnerabilities/${site.organization}?tab=sources`));
    await site.button("Add a source").click();
    await dialog.getByLabel("Name").fill("packages of npm");
    await dialog.getByLabel("Ecosystems").fill("npm");
    await dialog.getByLabel("Address").fill("https://osv.invalid/data");
    await dialog.getByRole("button", { name: "Add a source" }).click();
    await rows("Sources").getByRole("button", { name: "Pause" }).click();
    await rows("Sources").getByText("paused").waitFor();
    await page.getByRole("link", { name: "packages of npm" }).click();
    await site.heading("packages of npm").waitFor();
    await site.button("Delete").click();
    await dialog.getByRole("button", { name: "Delete" }).click();
    await page.getByText("Deleted packages of npm").waitFor();
    assert.deepEqual(site.complaints, []);
  });
});
