import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Page } from "playwright-core";
import { skopeo } from "../../server/test/support/registry/distribution.ts";
import { writeImage } from "../../server/test/support/registry/oci-image.ts";
import { scratchFolder } from "../../server/test/support/server/scratch-folder.ts";
import { until } from "../../server/test/support/until.ts";
import { ConsoleSite } from "./support/site.ts";

const SCREENS = {
  folders: "acme",
  access: "Access",
  people: "People",
  identities: "Identities",
  roles: "Roles",
  providers: "Identity providers",
  repos: "Repositories",
  advisories: "Advisories",
  events: "Events",
  subscriptions: "Subscriptions",
  audit: "Audit log",
};

const PHONE = { width: 390, height: 800 };
const DESKTOP = { width: 1280, height: 800 };

describe("the console of people with few rights", () => {
  let site: ConsoleSite;
  let viewer: Page;
  let org: string;
  let platform: string;
  before(async () => {
    site = await ConsoleSite.start();
    org = site.organization;
    platform = await site.world.group(org, "platform");
    viewer = await site.pageOf(await site.world.member({ [org]: "viewer" }), "vera");
  });
  after(() => site.stop());

  /** Opens a screen, and waits until everything on it has arrived. */
  const open = async (page: Page, screen: string, heading: string) => {
    await page.goto(site.at(screen));
    await site.heading(heading, page).waitFor();
    await page.locator(".loading").waitFor({ state: "detached" });
  };
  const links = (page: Page) => page.getByRole("navigation", { name: "Screens" }).getByRole("link");

  test("shows a viewer no error on any screen, and the events that they may read", async () => {
    for (const [screen, heading] of Object.entries(SCREENS)) {
      await open(viewer, `${screen}/${org}`, heading);
      assert.deepEqual(await viewer.getByRole("alert").allInnerTexts(), [], screen);
    }
    await open(viewer, `events/${org}`, "Events");
    await viewer.getByRole("link", { name: "iam.group.created.v1" }).first().waitFor();
    await viewer.getByText("Only events that your roles include are shown.").waitFor();
    const types = viewer.getByLabel("Type").locator("option");
    assert.ok((await types.allInnerTexts()).includes("iam.group.*"));
    assert.deepEqual(site.complaints, []);
  });

  test("leads on from a folder that was deleted, without links that fail", async () => {
    const gone = await site.world.group(platform, "gone");
    await site.world.operator().groups.delete(gone);
    for (const screen of ["folders", "repos"]) {
      await open(viewer, `${screen}/${gone}`, "Not found");
      await viewer.getByText("This folder was deleted.").waitFor();
      assert.deepEqual(await links(viewer).allInnerTexts(), ["Organizations"]);
    }
    await viewer.getByRole("link", { name: "acme / platform" }).click();
    await site.heading("platform", viewer).waitFor();
    assert.ok((await links(viewer).count()) > 5);
  });

  test("leads on from an organization that somebody has no role in", async () => {
    const frank = await site.pageOf(await site.world.member({ [platform]: "viewer" }), "frank");
    await open(frank, `folders/${org}`, "No access");
    assert.deepEqual(await links(frank).allInnerTexts(), ["Organizations"]);
    assert.equal(await frank.getByText("acme").count(), 0, "its name may not be read");
    await frank.getByRole("link", { name: "platform" }).click();
    await site.heading("platform", frank).waitFor();
    const secret = await site.world.organization("secret");
    await open(frank, `events/${secret}`, "No access");
    await frank.getByRole("main").getByRole("link", { name: "All organizations" }).click();
    await site.heading("Organizations", frank).waitFor();
  });

  test("shows a subscription that fails as failing, first and in the navigation", async () => {
    const { world } = site;
    const author = await world.member({ [org]: "owner" });
    const { subscriptions } = world.operator().as(author.token);
    const failing = { name: "flaky-bridge", sink: "http://127.0.0.1:9/" };
    const { uid } = await subscriptions.create(org, failing);
    const idle = { ...failing, name: "idle", filters: [{ exact: { type: "none" } }] };
    await subscriptions.create(org, idle);
    await world.group(org, "event");
    await until(async () => (await subscriptions.get(uid)).health?.failingSince);
    await open(viewer, `subscriptions/${org}`, "Subscriptions");
    const first = viewer.getByRole("row").filter({ hasText: "flaky-bridge" });
    await first.getByText("failing", { exact: true }).waitFor();
    await first.getByText(/^since .* ago, \d+ waiting$/).waitFor();
    assert.match(await viewer.getByRole("row").nth(1).innerText(), /flaky-bridge/);
    const rest = viewer.getByRole("row").filter({ hasText: "idle" });
    await rest.getByText("active", { exact: true }).waitFor();
    await open(viewer, `folders/${org}`, "acme");
    await viewer.getByRole("link", { name: "Subscriptions (some cannot be delivered)" }).waitFor();
    await viewer.setViewportSize(PHONE);
    assert.equal(await viewer.evaluate("document.documentElement.scrollWidth"), PHONE.width);
  });

  test("has a Copy button on one line in the first-run checklist", async () => {
    const { page } = site;
    await site.signInAt();
    for (const size of [DESKTOP, PHONE]) {
      await page.setViewportSize(size);
      await open(page, `start/${org}`, "Get started with acme");
      const button = page.getByRole("button", { name: "Copy" }).first();
      const { height = 0, width = 0 } = (await button.boundingBox()) ?? {};
      assert.ok(height > 0 && height < 48 && width > height, `${width} × ${height}`);
    }
  });

  test("checks off the first push and the first pull", async () => {
    const { page, world } = site;
    const { host } = new URL(world.server.url);
    const layout = scratchFolder("wharf-first-image-");
    writeImage(layout, "1", "the first");
    const step = (title: string) => page.getByRole("listitem").filter({ hasText: title });
    const done = (title: string) => step(title).getByText("done", { exact: true });
    const creds = `_token:${await world.server.token()}`;
    const image = `docker://${host}/${org}/app:1`;
    await open(page, `start/${org}`, "Get started with acme");
    await step("Push the first image").waitFor();
    assert.equal(await done("Push the first image").count(), 0);
    const pushed = ["--dest-tls-verify=false", "--dest-creds", creds, `oci:${layout}:1`, image];
    assert.deepEqual((await skopeo("copy", ...pushed)).ok, true);
    await open(page, `start/${org}`, "Get started with acme");
    await done("Push the first image").waitFor({ state: "attached" });
    const pulled = ["--src-tls-verify=false", "--src-creds", creds, image, `dir:${layout}/pulled`];
    assert.deepEqual((await skopeo("copy", ...pulled)).ok, true);
    await until(async () => {
      await open(page, `start/${org}`, "Get started with acme");
      return (await done("Pull it from a workload").count()) > 0;
    });
    // What the step shows is what was done.
    await step("Push the first image").locator("summary").click();
    await page.getByText(`docker push ${host}/${org}/app:1`).waitFor();
  });
});
