import assert from "node:assert/strict";
import { buffer } from "node:stream/consumers";
import { after, before, describe, test } from "node:test";
import type { Locator, Page } from "playwright-core";
import { pack } from "tar-stream";
import { OPERATOR_UID } from "../../../server/src/auth/caller.ts";
import type { Member } from "../../../server/test/support/world/world.ts";
import { ADVISORIES, DOCUMENT } from "../areas/advisories.ts";
import { REGISTRY } from "../areas/registry.ts";
import type { Filled } from "../support/area.ts";
import { HOSTILE } from "../support/hostile.ts";
import { ConsoleSite } from "../support/site.ts";

/** Markdown past the server, which rejects most of this. */
const HOSTILE_README = `# ${HOSTILE}

<script>alert(3)</script>
<img src="https://evil.example/pixel.png" onerror="alert(4)">

[script](javascript:alert(5)) [data](data:text/html,<script>alert(6)</script>) [web](https://example.com/)
[encoded](java&#x73;cript:alert(7)) [relative](/console/session/end) <https://example.com/auto>

![tracked](https://evil.example/pixel.png)
`;

describe("repositories and advisories in a real browser", () => {
  let site: ConsoleSite;
  let page: Page;
  let organization: string;
  let registry: Filled;
  let advisories: Filled;
  let viewer: Member;

  before(async () => {
    site = await ConsoleSite.startWithRegistry();
    ({ page, organization } = site);
    registry = await REGISTRY.fill(site, organization);
    advisories = await ADVISORIES.fill(site, organization);
    viewer = await site.world.member({ [organization]: "viewer" });
    await site.signInAt();
  });
  after(() => site.stop());

  const dialog = () => page.getByRole("dialog");
  const rowOf = (text: string, on: Page | Locator = page) =>
    on.getByRole("row").filter({ hasText: text });

  test("finds a repository by the beginning of its name, and the images of its tags", async () => {
    await page.goto(site.at(`repos/${organization}`));
    await page.getByLabel("Name").fill("shop");
    await page.getByLabel("Name").press("Enter");
    await page.getByText("1 to 1 of 1").waitFor();
    const lists: string[] = [];
    page.on("request", (request) => {
      if (/\/images\?/.test(request.url())) lists.push(request.url());
    });
    await page.getByRole("link", { name: "shop-api" }).click();
    await site.heading("shop-api").waitFor();
    const host = site.tracked.registry.host;
    await page.getByText(`docker pull ${host}/acme/shop-api:latest`).waitFor();
    await rowOf("latest").filter({ hasText: "index, 3 platforms" }).waitFor();
    await rowOf("1.4.2").filter({ hasText: "image, amd64" }).waitFor();
    assert.ok(lists.length <= 2, `the images of all tags are ${lists.length} requests`);
    await page.getByLabel("crane").check({ force: true });
    await page.getByText(`crane pull ${host}/acme/shop-api:latest shop-api.tar`).waitFor();
    assert.deepEqual(site.complaints, []);
  });

  test("leads from a tag through its history to the platforms and attachments", async () => {
    await page.goto(site.at(`repo/${registry.repo}`));
    await page.getByRole("link", { name: "latest", exact: true }).click();
    await site.heading("shop-api:latest").waitFor();
    const history = page.locator(".timeline > li");
    await history.nth(1).waitFor();
    assert.equal(await history.count(), 2);
    await history.first().getByRole("link").click();
    const platforms = page.getByRole("table", { name: "Platforms" });
    await rowOf("linux/riscv64", platforms).waitFor();
    const attached = page.getByRole("table", { name: "Attached to it" });
    for (const kind of ["SBOM (SPDX)", "signature", "VEX document"]) {
      await rowOf(kind, attached).waitFor();
    }
    await platforms.getByRole("link").first().click();
    await page.getByRole("table", { name: "Layers" }).waitFor();
    await rowOf(site.tracked.registry.host).waitFor();
    assert.deepEqual(site.complaints, []);
  });

  test("creates, describes and deletes a repository, and shows what others wrote as text", async () => {
    await page.goto(site.at(`repos/${organization}`));
    await site.button("Create repository").click();
    await dialog().getByLabel("Name").fill("Carts!");
    await site.button("Create repository").last().click();
    await dialog().getByRole("alert").waitFor();
    await dialog().getByLabel("Name").fill("carts");
    await dialog().getByLabel("Description").fill(HOSTILE);
    await site.button("Create repository").last().click();
    await site.heading("carts").waitFor();
    await page.getByText(HOSTILE, { exact: true }).waitFor();
    await page.getByText(`docker push ${site.tracked.registry.host}/acme/carts:latest`).waitFor();
    await site.button("Delete").click();
    await dialog().getByText("No registry has images of it").waitFor();
    await dialog().getByRole("button", { name: "Delete" }).click();
    await site.heading("Repositories").waitFor();
    assert.equal(await site.tracked.repo("carts"), undefined);
    assert.deepEqual(site.complaints, []);
  });

  test("lets the operator write a README and reconcile the registries", async () => {
    const token = await site.world.signer.token(OPERATOR_UID);
    const operator = await site.pageOf({ uid: OPERATOR_UID, token }, "operator");
    const button = (name: string) => operator.getByRole("button", { name, exact: true });
    await operator.goto(site.at(`repo/${registry.repo}?tab=readme`));
    await button("Edit README").click();
    await operator.getByLabel("Markdown").fill("## Shop\n\n<script>alert(1)</script>");
    await button("Save").click();
    await operator.getByRole("alert").waitFor();
    await operator.getByLabel("Markdown").fill("## Shop\n\nSee [the shop](https://example.com/).");
    await button("Save").click();
    await button("Edit README").waitFor();
    const link = operator.getByRole("link", { name: "the shop" });
    assert.equal(await link.getAttribute("rel"), "noopener noreferrer");
    await operator.context().close();
    await page.goto(site.at("registries"));
    await page.getByLabel("Operator's token", { exact: true }).fill(token);
    await page.keyboard.press("Enter");
    await site.button("Reconcile now").click();
    await rowOf(site.tracked.registry.host).filter({ hasText: "repositories" }).waitFor();
    assert.deepEqual(site.complaints, []);
  });

  test("makes nothing of a README but text, headings and web addresses", async () => {
    const path = /\/repos\/.*\/readme$/;
    await page.route(path, (route) => route.fulfill({ json: { content: HOSTILE_README } }));
    await page.goto(site.at(`repo/${registry.repo}?tab=readme`));
    const readme = page.locator(".markdown, pre.source").first();
    await readme.waitFor();
    assert.equal(await readme.locator("script, img, iframe, style").count(), 0);
    const targets = await readme
      .getByRole("link")
      .evaluateAll((links) => links.map((link) => link.getAttribute("href")));
    const allowed = /^https:\/\/(example\.com|evil\.example\/pixel)/;
    assert.ok(targets.length >= 2, `${targets}`);
    for (const target of targets) assert.match(target ?? "", allowed);
    await page.unroute(path);
    const deep = `${"> ".repeat(20_000)}${HOSTILE}`;
    await page.route(path, (route) => route.fulfill({ json: { content: deep } }));
    await page.reload();
    await page.locator("pre.source, .markdown").getByText(HOSTILE).waitFor();
    await page.unroute(path);
    assert.deepEqual(site.complaints, []);
  });

  test("offers nobody what they may not do, and the API rejects it anyway", async () => {
    const other = await site.pageOf(viewer, "vic");
    await other.goto(site.at(`repo/${registry.repo}`));
    await site.heading("shop-api", other).waitFor();
    await rowOf("1.4.2", other).waitFor();
    for (const name of ["Edit", "Delete", "Create repository", "Write README", "Delete image"]) {
      assert.equal(await other.getByRole("button", { name, exact: true }).count(), 0, name);
    }
    await other.goto(site.at(`advisories/${organization}?tab=import`));
    await other.getByText("An import needs").waitFor();
    assert.equal(await other.locator("input[type=file]").count(), 0);
    await other.goto(site.at(`advisory/${advisories.pending}`));
    await site.heading("CGA-mmpp-qqrr-vvww", other).waitFor();
    for (const name of ["Edit", "Delete", "Add event", "Review"]) {
      assert.equal(await other.getByRole("button", { name, exact: true }).count(), 0, name);
    }
    const headers = { authorization: `Bearer ${viewer.token}`, "content-type": "application/json" };
    for (const [method, path] of [
      ["PATCH", `/registry/v2beta1/repos/${registry.repo}`],
      ["DELETE", `/registry/v2beta1/repos/${registry.repo}`],
      ["POST", `/vulnerabilities/v1/advisories/${advisories.pending}/events`],
      ["POST", `/vulnerabilities/v2beta1/advisories/${organization}:import`],
    ] as const) {
      const body = method === "DELETE" ? null : "{}";
      const { status } = await fetch(site.world.server.url + path, { method, headers, body });
      assert.equal(status, 403, `${method} ${path}`);
    }
    await other.context().close();
    assert.deepEqual(site.complaints, []);
  });

  test("reviews exactly the events that were shown, with the keyboard", async () => {
    await page.goto(site.at(`advisories/${organization}?tab=reviews`));
    const row = rowOf("CGA-mmpp-qqrr-vvww");
    await row.getByRole("button", { name: "Review" }).focus();
    await page.keyboard.press("Enter");
    await dialog().getByText("Verified in the build.").waitFor();
    // Its author changes the event while it is looked at.
    const { http } = site.world;
    const events = `/vulnerabilities/v1/advisories/${advisories.pending}/events`;
    const { body } = await http.get(events);
    const event = body.items.find(({ status }: { status: string }) => status === "PENDING");
    const changed = { ...event, fixed: { fixedVersion: "8.17.0-r3", note: HOSTILE } };
    const path = `/vulnerabilities/v1/advisory_events/${event.id}`;
    const token = await site.world.signer.token(OPERATOR_UID);
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
    const put = { method: "PUT", headers, body: JSON.stringify(changed) };
    assert.equal((await fetch(site.world.server.url + path, put)).status, 200);
    await dialog().getByLabel("Reason").focus();
    await page.keyboard.type("seen in the build log");
    await dialog().getByRole("button", { name: "Review" }).press("Enter");
    await dialog().getByRole("alert").filter({ hasText: /chang/i }).waitFor();
    assert.equal(await dialog().getByLabel("Reason").inputValue(), "seen in the build log");
    await page.keyboard.press("Escape");
    await page.keyboard.press("Escape");
    await dialog().waitFor({ state: "detached" });
    await row.getByRole("button", { name: "Review" }).press("Enter");
    await dialog().getByText(HOSTILE, { exact: true }).waitFor();
    await dialog().getByLabel("Reason").fill("seen in the build log");
    await dialog().getByRole("button", { name: "Review" }).press("Enter");
    await row.waitFor({ state: "detached" });
    await page.goto(site.at(`advisory/${advisories.pending}`));
    await page.getByText("seen in the build log").waitFor();
    await page.getByText("8.17.0-r3").first().waitFor();
    assert.deepEqual(site.complaints, []);
  });

  test("adds an event, which its author cannot review", async () => {
    await page.goto(site.at(`advisory/${advisories.advisory}`));
    await site.button("Add event").click();
    await dialog().getByLabel("What happened").selectOption("falsePositiveDetermination");
    await dialog().getByLabel("Reason").selectOption("INLINE_MITIGATIONS_EXIST");
    await dialog().getByLabel("Note").fill(HOSTILE);
    await dialog().getByRole("button", { name: "Add event" }).click();
    await page.getByText(HOSTILE, { exact: true }).waitFor();
    await page.getByText("mitigations are in place").waitFor();
    assert.equal(await site.button("Review").count(), 0);
    await page.goto(site.at(`advisories/${organization}?tab=reviews`));
    await rowOf("CGA-2222-3333-4444").getByText("Yours: someone else").waitFor();
    assert.deepEqual(site.complaints, []);
  });

  test("keeps filters in the URL", async () => {
    await page.goto(site.at(`advisories/${organization}`));
    await page.locator("select[name=latest]").selectOption({ label: "not affected" });
    await page.getByText("1 to 1 of 1").waitFor();
    assert.match(page.url(), /latest=EVENT_TYPE_FILTER_FALSE_POSITIVE_DETERMINATION/);
    await page.goto(site.at(`advisories/${organization}?artifact=openssl,curl`));
    await page.getByText("1 to 2 of 2").waitFor();
    assert.equal(await page.getByLabel("Artifact", { exact: true }).inputValue(), "openssl,curl");
  });

  test("imports documents and archives, with the report of the command", async () => {
    await page.goto(site.at(`advisories/${organization}?tab=import`));
    await page.locator("input[type=file]").setInputFiles([
      { name: `${HOSTILE}.yaml`, mimeType: "", buffer: Buffer.from(DOCUMENT) },
      { name: "broken.json", mimeType: "", buffer: Buffer.from(`{"@context": 1}`) },
    ]);
    const tally = async () => page.locator(".tally dd").allInnerTexts();
    await rowOf("broken.json").first().waitFor();
    assert.deepEqual(await tally(), ["2", "1", "0", "0", "0", "0", "0", "1"]);
    for (const name of ["all.zip", "all.tar.gz"]) {
      const feed = `${site.world.server.url}/feeds/${organization}/osv/${name}`;
      const headers = { authorization: `Bearer ${await site.world.signer.token(viewer.uid)}` };
      const content = Buffer.from(await (await fetch(feed, { headers })).arrayBuffer());
      await page.reload();
      await drop(name, content);
      await page.locator(".tally").waitFor();
      await page.locator("progress").waitFor({ state: "detached" });
      const [documents, created, changed] = await tally();
      assert.ok(Number(documents) >= 4, `${name} has ${documents} documents`);
      assert.deepEqual([created, changed], ["0", "0"], name);
    }
    assert.deepEqual(site.complaints, []);
  });

  test("imports the files that patterns select, as the command does", async () => {
    const archive = pack();
    for (const name of ["osv/a.yaml", "osv/testdata/b.yaml", "vex/c.yaml", "osv/d.json"]) {
      archive.entry({ name }, DOCUMENT.replace("CGA-2345", `CGA-${name.slice(-6, -5).repeat(4)}`));
    }
    archive.finalize();
    const content = await buffer(archive);
    const imported = async (include: string, exclude: string) => {
      await page.goto(site.at(`advisories/${organization}?tab=import`));
      await page.getByLabel("Include").fill(include);
      await page.getByLabel("Exclude").fill(exclude);
      await page.getByLabel(/^Dry run/).check();
      await drop("all.tar", content);
      await page.locator(".tally").waitFor();
      await page.locator("progress").waitFor({ state: "detached" });
      const [documents, , , , , , skipped] = await page.locator(".tally dd").allInnerTexts();
      return [documents, skipped];
    };
    assert.deepEqual(await imported("", ""), ["4", "0"]);
    assert.deepEqual(await imported("osv/**", ""), ["3", "1"]);
    assert.deepEqual(await imported("a.yaml, vex/*", ""), ["2", "2"]);
    assert.deepEqual(await imported("*.yaml", "testdata/**,c.*"), ["1", "3"]);
    assert.deepEqual(site.complaints, []);
  });

  /** Drops a file from the desktop. */
  async function drop(name: string, content: Buffer): Promise<void> {
    const transfer = await page.evaluateHandle(`(() => {
      const bytes = Uint8Array.from(atob(${JSON.stringify(content.toString("base64"))}), (one) => one.charCodeAt(0));
      const transfer = new DataTransfer();
      transfer.items.add(new File([bytes], ${JSON.stringify(name)}));
      return transfer;
    })()`);
    await page.locator(".drop").waitFor();
    await page.locator(".drop").dispatchEvent("drop", { dataTransfer: transfer });
  }
});
