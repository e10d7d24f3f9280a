/** Tags in the console: who signed them, what protects them, what deletes them, and how they come back. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Locator, Page } from "playwright-core";
import { Retention } from "../../server/test/support/registry/retention.ts";
import {
  keyPair,
  payloadOf,
  simpleSignature,
} from "../../server/test/support/signatures/signing.ts";
import { ImageWorld } from "../../server/test/support/world/image-world.ts";
import { AA, addAxe, violations } from "./support/axe.ts";
import { ConsoleSite } from "./support/site.ts";

const REPO = "acme/team/app";
const TAGS = ["1.0", "1.1", "main", "nightly", "stable"];

describe("tags in the console", () => {
  let site: ConsoleSite;
  let page: Page;
  let retention: Retention;
  let dialog: Locator;
  let repo: string;

  before(async () => {
    site = await ConsoleSite.startAsRegistry();
    ({ page } = site);
    await addAxe(page);
    dialog = page.getByRole("dialog").filter({ has: page.locator("form") });
    const images = await ImageWorld.of(site.world);
    retention = await Retention.open(site.world);
    const digests = new Map<string, string>();
    for (const tag of TAGS) digests.set(tag, (await images.push(REPO, tag, tag)).digest);
    repo = await images.repo(REPO);
    const [trusted, other] = [keyPair(), keyPair()];
    const { verificationKeys } = retention.api;
    await verificationKeys.create(site.organization, { name: "release", publicKey: trusted.pem });
    for (const [tag, key] of [
      ["1.0", trusted],
      ["main", other],
    ] as const) {
      const digest = digests.get(tag) ?? "";
      const layers = [simpleSignature(key, payloadOf(digest))];
      const config = '{"architecture":"","os":""}';
      await images.manifest(REPO, `${digest.replace(":", "-")}.sig`, { config, layers });
    }
    await images.settled();
    await site.signInAt(`repo/${repo}`, "app");
  });
  after(async () => {
    await retention.close();
    await site.stop();
  });

  const row = (name: string, table = "Tags") =>
    page
      .getByRole("table", { name: table, exact: true })
      .getByRole("row")
      .filter({ has: page.getByText(name, { exact: true }) });
  const open = async (name: string) => {
    await page.goto(site.at(`repo/${repo}`));
    await row(name).getByRole("link", { name, exact: true }).click();
    await site.heading(`app:${name}`).waitFor();
  };
  const picture = async (name: string) => {
    const { PICTURES } = process.env;
    if (PICTURES) await page.screenshot({ path: `${PICTURES}/${name}.png`, fullPage: true });
  };
  const checkAxe = async () => assert.deepEqual(await violations(page, AA), []);

  test("the list says which images are signed, and asks for all of them at once", async () => {
    const requests: string[] = [];
    page.on("request", (request) => requests.push(request.url()));
    await page.reload();
    await row("1.0").getByText("signed", { exact: true }).waitFor();
    await row("main").getByText("signature not verified").waitFor();
    assert.equal(await row("1.1").locator(".badge").count(), 0);
    const states = requests.filter((url) => url.includes("/signatureStates?"));
    const digests = states.map((url) => new URL(url).searchParams.getAll("digests").length);
    assert.ok(digests.length > 0 && digests.every((count) => count === TAGS.length), `${digests}`);
    await checkAxe();
  });

  test("a tag is protected, and unprotected; rules of groups remain", async () => {
    const rule = { name: "builds", tags: ["*a*"], repos: ["team/a??"], immutable: true };
    await retention.api.tagRules.create(site.organization, rule);
    const elsewhere = { name: "elsewhere", tags: ["*"], repos: ["app", "b*"], immutable: true };
    await retention.api.tagRules.create(site.organization, elsewhere);
    await open("stable");
    const rules = page.getByRole("list", { name: "Rules of the tag" });
    await rules.getByText("by the rule “builds” of acme", { exact: true }).waitFor();
    await site.button("Protect").click();
    await dialog.getByLabel("Immutable").check();
    await checkAxe();
    await picture("protect");
    await dialog.getByRole("button", { name: "Protect" }).click();
    const own = rules.getByRole("listitem").filter({ hasText: "of acme / team / app" });
    await own.getByText("protected", { exact: true }).waitFor();
    assert.equal(await rules.first().getByRole("listitem").count(), 2);
    await dialog.waitFor({ state: "detached" });
    await checkAxe();
    await picture("protected");
    await site.button("Delete tag").click();
    await dialog.getByRole("button", { name: "Delete" }).click();
    await dialog.getByText(/protected by the rule "stable" of acme\/team\/app/).waitFor();
    await dialog.getByRole("button", { name: "Cancel" }).click();
    await site.button("Unprotect").click();
    await dialog.getByText("by the rule “builds” of acme").waitFor();
    await dialog.getByRole("button", { name: "Unprotect" }).click();
    await site.button("Protect").waitFor();
    await own.waitFor({ state: "detached" });
    const { tagRules = [] } = await retention.api.tagRules.list({ uidp: { childrenOf: repo } });
    assert.deepEqual(tagRules, []);
  });

  test("the selected tags are deleted, and those that are protected say why not", async () => {
    const rule = { name: "keep 1.0", tags: ["1.0"], protected: true };
    await retention.api.tagRules.create(repo, rule);
    const digest = (await retention.tag({ uid: repo } as never, "main")).digest;
    await retention.api.tags.create(repo, { name: "edge", digest });
    await page.goto(site.at(`repo/${repo}`));
    for (const tag of ["1.0", "1.1", "main"]) await row(tag).getByRole("checkbox").check();
    await page.getByRole("button", { name: "Delete 3 tags" }).click();
    await dialog.getByText("2 images stay without a tag.").waitFor();
    assert.deepEqual(await dialog.getByRole("listitem").allTextContents(), ["1.0", "1.1", "main"]);
    await picture("delete");
    await dialog.getByRole("button", { name: "Delete 3 tags" }).click();
    await dialog.getByText("1 of 3 tags could not be deleted").waitFor();
    const left = dialog.getByRole("listitem");
    assert.match((await left.allTextContents()).join(), /^1\.0.*protected by the rule "keep 1\.0"/);
    await checkAxe();
    await picture("not-deleted");
    assert.deepEqual(await visibleTags(), ["1.0", "edge", "nightly", "stable"]);
    await dialog.getByRole("button", { name: "Cancel" }).click();
    await dialog.waitFor({ state: "detached" });
    await page.getByRole("button", { name: "Delete 1 tag" }).waitFor();
    assert.deepEqual(site.complaints, []);
  });

  const visibleTags = async () =>
    (await retention.tags({ uid: repo } as never)).filter((name) => !name.endsWith(".sig"));

  test("a deleted tag is restored", async () => {
    const deleted = row("1.1", "Deleted tags");
    await deleted.getByText("in 7 days").waitFor();
    await page.setViewportSize({ width: 390, height: 844 });
    await checkAxe();
    await picture("narrow");
    const width = Number(await page.evaluate("document.documentElement.scrollWidth"));
    assert.ok(width <= 390, `${width}`);
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.emulateMedia({ colorScheme: "dark" });
    await picture("dark");
    await checkAxe();
    await page.emulateMedia({ colorScheme: "light" });
    await deleted.getByRole("button", { name: "Restore" }).click();
    await dialog.getByRole("button", { name: "Restore" }).click();
    await deleted.waitFor({ state: "detached" });
    await row("1.1").getByRole("link", { name: "1.1", exact: true }).waitFor();
    assert.ok((await visibleTags()).includes("1.1"));
  });

  test("a tag says when retention deletes it", async () => {
    const days = { announceDays: 3 };
    await retention.policy(repo, { keep: [{ name: "releases", tags: ["1.*"] }], ...days });
    await retention.pass();
    await open("nightly");
    await page.getByText("Retention deletes this tag in 3 days, unless a rule keeps it").waitFor();
    await checkAxe();
    await picture("announced");
    await open("1.0");
    await page.getByText("by the rule “keep 1.0”").waitFor();
    assert.equal(await page.getByText("Retention deletes").count(), 0);
  });

  test("a viewer sees neither buttons nor checkboxes", async () => {
    const viewer = await site.world.member({ [site.organization]: "viewer" });
    const other = await site.pageOf(viewer, "viewer");
    await other.goto(site.at(`repo/${repo}`));
    const table = other.getByRole("table", { name: "Tags", exact: true });
    await table.getByText("signed", { exact: true }).waitFor();
    assert.equal(await table.getByRole("checkbox").count(), 0);
    assert.equal(await other.getByRole("button", { name: "Restore" }).count(), 0);
    await table.getByRole("link", { name: "1.0", exact: true }).click();
    await site.heading("app:1.0", other).waitFor();
    assert.equal(await other.getByRole("button", { name: "Protect" }).count(), 0);
    await other.context().close();
    assert.deepEqual(site.complaints, []);
  });
});
