import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Page } from "playwright-core";
import { storeGroups } from "../../../server/test/support/world/stored-groups.ts";
import { ConsoleSite, savedText } from "../support/site.ts";

/** A text that would run as a script, were it ever taken for markup; or as a formula, by a spreadsheet. */
const HOSTILE = `=1+1"><img src=x onerror=alert(1)><script>alert(2)</script>`;

describe("folders, access, roles and people in a real browser", () => {
  let site: ConsoleSite;
  let page: Page;
  let organization: string;
  let teams: string;

  before(async () => {
    site = await ConsoleSite.start();
    ({ page, organization } = site);
    const { http } = site.world;
    const folder = async (parent: string, name: string) =>
      (await http.post(`/iam/v2beta1/groups/${parent}`, { name })).body.uid;
    teams = await folder(organization, "teams");
    const names = Array.from({ length: 120 }, (_, at) => `team-${String(at).padStart(3, "0")}`);
    await storeGroups(site.world.server, teams, names);
    await folder(organization, "security");
    await http.post(`/iam/v2beta1/identities/${teams}`, {
      name: "release-train",
      description: HOSTILE,
      claimMatch: { issuer: "https://ci.example.com", subject: HOSTILE },
    });
    await site.signInAt(`folders/${organization}`, "acme");
  });
  after(() => site.stop());

  const item = (name: string | RegExp) => page.getByRole("treeitem", { name });
  const dialog = () => page.getByRole("dialog");
  const focusedItem = async () =>
    page
      .locator("[role=treeitem]:focus")
      .evaluate((one: { textContent: string }) => one.textContent);

  test("the tree is walked with the keyboard, and reads children page by page", async () => {
    const requests: string[] = [];
    page.on("request", (one) => requests.push(new URL(one.url()).search));
    await item("acme").focus();
    await page.keyboard.press("ArrowDown");
    assert.equal(await focusedItem(), "security");
    await page.keyboard.press("t");
    assert.equal(await focusedItem(), "teams");
    await page.keyboard.press("ArrowRight");
    await item("team-000").waitFor();
    const asked = requests.filter(
      (one) => new URLSearchParams(one).get("uidp.children_of") === teams,
    );
    assert.equal(asked.length, 1, asked.join());
    assert.equal(await page.getByRole("treeitem").count(), 1 + 2 + 50 + 1);
    assert.equal(await item("team-000").getAttribute("aria-setsize"), "120");
    await page.keyboard.press("ArrowRight");
    assert.equal(await focusedItem(), "team-000");
    await page.keyboard.type("team-04");
    assert.equal(await focusedItem(), "team-040");
    await page.keyboard.press("End");
    assert.equal(await focusedItem(), "Show more (70 left)");
    await page.keyboard.press("Enter");
    await page.locator("[role=treeitem]:focus", { hasText: "team-050" }).waitFor();
    await page.keyboard.press("End");
    await page.keyboard.press("Enter");
    await page.locator("[role=treeitem]:focus", { hasText: "team-100" }).waitFor();
    assert.equal(await item(/Show more/).count(), 0);
    await page.keyboard.press("Enter");
    await site.heading("team-100").waitFor();
    await item("team-100").and(page.locator("[aria-current=page]")).waitFor();
    await page.keyboard.press("ArrowLeft");
    assert.equal(await focusedItem(), "teams");
    await page.keyboard.press("ArrowLeft");
    await item("team-000").waitFor({ state: "detached" });
    await page.keyboard.press("Home");
    assert.equal(await focusedItem(), "acme");
    assert.deepEqual(site.complaints, []);
  });

  test("a folder far behind the first page is in the tree when it is current", async () => {
    const { body } = await site.world.http.get("/iam/v2beta1/groups?name=team-119");
    await page.goto(site.at(`folders/${body.groups[0].uid}`));
    await item("team-119").and(page.locator("[aria-current=page]")).waitFor();
    assert.equal(await item("team-118").count(), 0);
  });

  test("names are found by their beginning, with their path, here and in the palette", async () => {
    await page.goto(site.at(`folders/${organization}`));
    await page.getByLabel("Search subfolders by prefix").fill("team-11");
    await site.button("Apply").click();
    await page.getByText("1 to 10 of 10").waitFor();
    const row = page.getByRole("row").filter({ hasText: "team-115" });
    await row.getByRole("link", { name: "acme / teams" }).waitFor();
    await page.goto(page.url());
    await page.getByText("1 to 10 of 10").waitFor();
    await page.keyboard.press("Control+k");
    const palette = page.getByRole("combobox", { name: /^Find pages/ });
    await palette.fill("team-0");
    await page.getByRole("option").filter({ hasText: "team-000" }).waitFor();
    assert.equal(await page.getByRole("option").filter({ hasText: "acme / teams" }).count(), 20);
    await page.getByRole("option").filter({ hasText: "team-019" }).scrollIntoViewIfNeeded();
    await page.getByRole("option").filter({ hasText: "team-020" }).waitFor();
    await palette.fill("team-042");
    await page.getByRole("option").filter({ hasText: "team-042" }).waitFor();
    await page.keyboard.press("Enter");
    await site.heading("team-042").waitFor();
    assert.deepEqual(site.complaints, []);
  });

  test("a folder with contents is not deleted, and links to what is in the way", async () => {
    await page.goto(site.at(`folders/${teams}`));
    await site.heading("teams").waitFor();
    await site.button("Delete").click();
    await dialog().getByRole("link", { name: "Contains 120 folders" }).waitFor();
    await dialog().getByRole("button", { name: "Delete" }).click();
    await dialog().getByRole("alert").filter({ hasText: "child" }).waitFor();
    await dialog().getByRole("link", { name: "Contains 1 identity" }).click();
    await site.heading("Identities").waitFor();
    site.forgetComplaints(/status of 400/);
    assert.deepEqual(site.complaints, []);
  });

  test("a role is created from searched capabilities, granted, and cannot be deleted then", async () => {
    await page.goto(site.at(`roles/${organization}?tab=custom`));
    await site.button("Create role").first().click();
    await dialog().getByLabel("Name", { exact: true }).fill("release-manager");
    await dialog().getByLabel("Description").fill(HOSTILE);
    await dialog().getByLabel("Search capabilities").fill("tag.");
    await dialog().getByLabel("tag", { exact: true }).check();
    await dialog().getByLabel("Search capabilities").fill("groups.list");
    await dialog().getByRole("checkbox", { name: "list", exact: true }).first().check();
    await dialog().getByRole("button", { name: "Create role" }).click();
    await page.getByRole("link", { name: "release-manager" }).click();
    await site.heading("release-manager").waitFor();
    await page.getByText(HOSTILE, { exact: true }).waitFor();
    await page.getByRole("heading", { name: /^\d+ capabilities$/ }).waitFor();
    await page.getByText("Nobody has this role").waitFor();

    await page.goto(site.at(`access/${organization}`));
    await site.button("Grant access").click();
    await dialog().getByLabel("Identity").fill("release");
    await page.getByRole("option", { name: /release-train/ }).click();
    await dialog().getByLabel("Role").fill("release");
    await page.getByRole("option", { name: /release-manager/ }).click();
    await dialog().getByRole("button", { name: "Grant access" }).click();
    const row = page.getByRole("row").filter({ hasText: "release-train" });
    await row.filter({ hasText: "granted here" }).waitFor();

    await row.getByRole("link", { name: "release-manager" }).click();
    await page.getByRole("table", { name: "Who has this role" }).getByText(HOSTILE).waitFor();
    await site.button("Delete").click();
    await dialog().getByRole("button", { name: "Delete" }).click();
    await dialog().getByRole("alert").filter({ hasText: "role bindings" }).waitFor();
    site.forgetComplaints(/status of 400/);
    assert.deepEqual(site.complaints, []);
  });

  test("access is explained from both sides, checked, and exported", async () => {
    await page.goto(site.at(`access/${teams}`));
    const row = page.getByRole("row").filter({ hasText: "release-train" });
    await row.filter({ hasText: "inherited from acme" }).waitFor();
    const saving = page.waitForEvent("download");
    await site.button("Export CSV").click();
    const csv = await savedText(saving);
    const [header = "", ...lines] = csv.trim().split("\r\n");
    assert.match(header, /^identity_uid,identity,subject/);
    const exported = lines.find((one) => one.includes("release-train")) ?? "";
    // A spreadsheet takes it for text.
    assert.ok(exported.includes(`"'=1+1""><img`), exported);
    assert.match(exported, /role_binding/);

    await row.getByRole("link", { name: "release-train" }).click();
    await site.heading("What release-train can do").waitFor();
    await page.getByRole("row").filter({ hasText: "release-manager" }).waitFor();
    await page.goto(site.at(`access/${teams}?tab=check`));
    await page.getByLabel(/^Who \(you/).fill("release");
    await page.getByRole("option", { name: /release-train/ }).click();
    await page.getByLabel("Can do what").fill("repo.delete");
    await page.getByRole("option", { name: "repo.delete", exact: true }).click();
    await site.button("Check").click();
    await page.getByLabel("Answer").getByText("No", { exact: true }).waitFor();
    await page.getByLabel("Answer").getByText("Roles that would allow it:").waitFor();
    assert.deepEqual(site.complaints, []);
  });

  test("a person who joins by an invite is offered what the role allows, and no more", async () => {
    await page.goto(site.at(`people/${organization}`));
    await page.getByRole("row").filter({ hasText: "ada" }).filter({ hasText: "owner" }).waitFor();
    await site.button("Invite").click();
    await dialog().getByLabel("Role").fill("viewer");
    await page.getByRole("option", { name: /^viewer/ }).click();
    await dialog().getByRole("button", { name: "Invite" }).click();
    const shown = page.getByRole("region", { name: "The link of the invite" });
    const link = (await shown.locator("code").textContent()) ?? "";
    await site.button("I have passed it on").click();
    await shown.waitFor({ state: "detached" });

    const { page: other, complaints } = await site.join(link, "grace");
    await other.goto(site.at(`folders/${organization}`));
    const withheld = other.getByRole("button", { name: "Create folder: not allowed" });
    await withheld.first().click();
    await other.getByText("groups.create").waitFor();
    assert.equal(await other.getByRole("button", { name: "Delete", exact: true }).count(), 0);
    await other.goto(site.at(`people/${organization}`));
    await other.getByRole("button", { name: "Invite: not allowed" }).waitFor();
    await other.goto(site.at(`roles/${organization}`));
    await other.getByRole("button", { name: "Create role: not allowed" }).waitFor();
    const denied = await other.evaluate(`(async () => {
      const { accessToken } = await (await fetch("/console/session/token", { method: "POST" })).json();
      const headers = { authorization: "Bearer " + accessToken, "content-type": "application/json" };
      const body = JSON.stringify({ name: "forbidden" });
      return (await fetch("/iam/v2beta1/groups/${organization}", { method: "POST", headers, body })).status;
    })()`);
    assert.equal(denied, 403);
    assert.deepEqual(
      complaints.filter((one) => !/status of 40[013]/.test(one)),
      [],
    );

    await page.getByRole("link", { name: "Members" }).click();
    await page.reload();
    await page.getByRole("link", { name: "grace" }).click();
    await site.heading("grace").waitFor();
    await page.getByRole("button", { name: /^End/ }).first().click();
    await dialog().getByRole("button", { name: /^End/ }).click();
    await page.getByText("Not signed in").waitFor();
    // Her page leaves by itself: one that is opened at the same time would compete with it.
    await site.signIn("grace", other);
    await site.heading("Roles", other).waitFor();
    await site.button("Remove").click();
    await dialog().getByRole("button", { name: "Remove" }).click();
    await page.getByText("No role here").waitFor();
    await other.goto(site.at(`folders/${organization}`));
    await site.heading("No access", other).waitFor();
    assert.deepEqual(site.complaints, []);
  });
});
