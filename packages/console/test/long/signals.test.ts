import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Line } from "@wharf/contract/audit";
import type { Page } from "playwright-core";
import { Verifier } from "../../../cli/src/audit/verify/verifier.ts";
import { Receiver } from "../../../server/test/support/events/receiver.ts";
import { HOSTILE } from "../support/hostile.ts";
import { secondPerson } from "../support/second-person.ts";
import { ConsoleSite, savedText } from "../support/site.ts";

describe("events and the audit log in a real browser", () => {
  let site: ConsoleSite;
  let page: Page;
  let organization: string;
  let receiver: Receiver;
  before(async () => {
    site = await ConsoleSite.start();
    ({ page, organization } = site);
    receiver = await Receiver.start((_, response) => {
      response.writeHead(200, { "content-type": "text/html" }).end(HOSTILE);
    });
    await page.goto(site.at(`subscriptions/${organization}`));
    await site.signIn();
  });
  after(async () => {
    await receiver.stop();
    await site.stop();
  });

  test("creates a subscription with a filter, previewed, with the keyboard", async () => {
    await site.heading("Subscriptions").waitFor();
    await page.getByRole("link", { name: "Create subscription" }).first().press("Enter");
    await site.heading("Create subscription").waitFor();
    await page.getByLabel("URL").fill("http://192.0.2.1/");
    await page.getByLabel("Name").fill(HOSTILE);
    await page.getByLabel("Description").fill(HOSTILE);
    const preview = page.getByRole("region", { name: "Preview" });
    await preview.getByText(/2 of 2 events/).waitFor();
    await page.getByLabel("Only these types").press("Space");
    await page.getByLabel("Find a type of event").fill("iam.group.");
    await page.getByLabel("iam.group.*").press("Space");
    await preview.getByText(/1 of 2 events/).waitFor();
    await site.button("Create subscription").press("Enter");
    // What was entered stays.
    await page.locator(".problem").filter({ hasText: /https/ }).waitFor();
    await page.getByLabel("URL").fill(receiver.url);
    await site.button("Create subscription").press("Enter");
    await site.heading(HOSTILE).waitFor();
    const { body } = await site.world.http.get("/events/v2beta1/subscriptions");
    assert.deepEqual(body.subscriptions[0].filters[0].any[0].glob, { type: "*.iam.group.*" });
    assert.deepEqual(site.complaints, []);
  });

  test("shows what was sent and answered, and sends it again", async () => {
    await site.button("Send test event").click();
    const deliveries = page.getByRole("table", { name: "Deliveries" });
    const row = deliveries.getByRole("row").filter({ hasText: "events.subscription.tested.v1" });
    await row.getByText("delivered").waitFor();
    await site.world.http.post(`/iam/v2beta1/groups/${organization}`, { name: "first" });
    const sent = deliveries.getByRole("row").filter({ hasText: "iam.group.created.v1" });
    await sent.getByText("delivered").waitFor();
    await sent.getByRole("checkbox").check();
    await site.button("Send 1 again").click();
    await deliveries.getByText("replay").waitFor();
    await sent.last().getByRole("link").click();
    await page.getByText("ce-type: dev.chainguard.api.iam.group.created.v1").waitFor();
    await page.getByText(HOSTILE, { exact: true }).last().waitFor();
    await page.goBack();
    assert.deepEqual(site.complaints, []);
  });

  test("shows a secret once, rotates it, pauses, resumes and edits", async () => {
    const dialog = page.getByRole("dialog");
    await site.button("Generate secret").click();
    await dialog.getByRole("button", { name: "Generate secret" }).click();
    const once = page.getByRole("region", { name: "Copy the secret now" });
    assert.match((await once.textContent()) ?? "", /whsec_/);
    await site.button("I have copied it").click();
    await once.waitFor({ state: "detached" });
    await site.button("Secret").click();
    await site.button("Rotate secret").click();
    const rotating = page.getByRole("dialog", { name: "Rotate secret" });
    await rotating.getByRole("button", { name: "Rotate secret" }).click();
    await once.waitFor();
    await page.reload();
    await site.heading(HOSTILE).waitFor();
    assert.equal(await page.getByText("whsec_").count(), 0);
    await site.button("Pause").click();
    await page.getByText("paused", { exact: true }).waitFor();
    await site.button("Resume").click();
    await page.getByText("active", { exact: true }).waitFor();
    await site.button("Edit").click();
    assert.equal(await page.getByLabel("iam.group.*").isChecked(), true);
    await page.getByLabel("Name").fill("hooks");
    await site.button("Save").click();
    await site.heading("hooks").waitFor();
    assert.deepEqual(site.complaints, []);
  });

  test("follows events as they happen, and can be paused", async () => {
    await page.goto(site.at(`events/${organization}?type=iam.group.*`));
    await page.getByText("Live", { exact: true }).waitFor();
    const rows = page.getByRole("row").filter({ hasText: "iam.group.created.v1" });
    assert.equal(await rows.count(), 2);
    const create = (name: string) =>
      site.world.http.post(`/iam/v2beta1/groups/${organization}`, { name });
    await create("live");
    await rows.nth(2).waitFor();
    await site.button("Pause").click();
    await create("later");
    await page.getByText("1 new event").waitFor();
    assert.equal(await rows.count(), 3);
    await page.getByRole("button", { name: /^Continue/ }).click();
    await rows.nth(3).waitFor();
    await rows.first().getByRole("link").click();
    await page.getByText(/"specversion": "1.0"/).waitFor();
    assert.deepEqual(site.complaints, []);
  });

  test("keeps every screen up to date, with one stream for all tabs", async () => {
    const watched: string[] = [];
    page.context().on("request", (request) => {
      if (request.url().includes(":watch")) watched.push(request.url());
    });
    await page.goto(site.at(`identities/${organization}`));
    const other = await page.context().newPage();
    await other.goto(site.at(`identities/${organization}`));
    await site.heading("Identities", other).waitFor();
    await other.getByRole("link", { name: "Audit log" }).waitFor();
    const create = (name: string) =>
      site.world.http.post(`/iam/v2beta1/identities/${organization}`, {
        name,
        claimMatch: { issuer: "https://ci.example.com", subject: name },
      });
    // The stream is open once an event has arrived.
    let at = 0;
    const isShown = async () => (await other.getByText("robot-1").count()) > 0;
    while (!(await isShown())) {
      await create(`robot-${at++}`);
      await other.waitForTimeout(500);
    }
    await page.getByText("robot-1", { exact: true }).first().waitFor();
    assert.equal(new Set(watched).size, 1);
    assert.equal(watched.length, 1);
    // The tab that reads the stream is closed: the other one continues.
    await page.close();
    await create("after");
    await other.getByText("after", { exact: true }).first().waitFor();
    page = other;
    assert.deepEqual(site.complaints, []);
  });

  test("shows one entry with what changed, and filters by it", async () => {
    const { body: group } = await site.world.http.post(`/iam/v2beta1/groups/${organization}`, {
      name: "audited",
    });
    await site.world.http.patch(`/iam/v2beta1/groups/${group.uid}`, { description: HOSTILE });
    await page.goto(site.at(`audit/${organization}?method=UpdateGroup&resource=${group.uid}`));
    await page.getByRole("link", { name: "UpdateGroup" }).click();
    await site.heading("UpdateGroup", page).waitFor();
    const row = page.getByRole("row").filter({ hasText: "description" });
    assert.equal(await row.getByRole("cell").nth(2).textContent(), HOSTILE);
    const who = page.getByRole("region", { name: "Who" });
    await who.getByRole("link", { name: "show all" }).click();
    await page.getByRole("link", { name: "CreateIdentity" }).first().waitFor();
    assert.match(page.url(), /actor=/);
    await page.getByRole("button", { name: "Live" }).click();
    await page.getByText("Live", { exact: true }).waitFor();
    await site.world.http.post(`/iam/v2beta1/groups/${organization}`, { name: "just-now" });
    await page.getByRole("cell", { name: /^just-now/ }).waitFor();
    assert.deepEqual(site.complaints, []);
  });

  test("exports what is filtered, and verifies the log in the browser", async () => {
    await page.goto(site.at(`audit/${organization}`));
    await page.getByRole("button", { name: "Export" }).click();
    const download = page.waitForEvent("download");
    await page.getByRole("dialog").getByRole("button", { name: "Export" }).click();
    const lines = (await savedText(download)).trim().split("\n");
    const verifier = new Verifier();
    for (const line of lines) verifier.add(JSON.parse(line) as Line);
    assert.equal(verifier.finish().problemCount, 0);

    await page.getByRole("link", { name: "Verify" }).click();
    await page.getByRole("button", { name: "Verify" }).click();
    await page.getByText("Nothing was changed").waitFor();
    await page.getByText("What is verified").click();
    const choose = async (content: string) => {
      const buffer = Buffer.from(content);
      const field = page.getByLabel(/An export that you saved/);
      await field.setInputFiles({ name: "audit.jsonl", mimeType: "text/plain", buffer });
      await page.getByRole("button", { name: "Verify" }).click();
    };
    const changed = lines.map((line) =>
      line.includes('"audited"') ? line.replace('"audited"', '"innocent"') : line,
    );
    await choose(changed.join("\n"));
    await page
      .getByText(/entry \d+ was changed/)
      .first()
      .waitFor();
    await choose(lines.toSpliced(-2, 1).join("\n"));
    await page
      .getByText(/missing/)
      .first()
      .waitFor();
    await choose("no export");
    await page.getByText("This file is not an export as JSON Lines.").waitFor();
    assert.deepEqual(site.complaints, []);
  });

  test("offers a viewer nothing that she may not do; a revoked right shows at once", async () => {
    const { body } = await site.world.http.get("/events/v2beta1/subscriptions");
    const [{ uid }] = body.subscriptions;
    const screen = `subscription/${uid}`;
    const person = await secondPerson(site, organization, { screen });
    await site.heading("hooks", person.page).waitFor();
    for (const name of ["Send test event", "Pause", "Edit", "Delete"]) {
      assert.equal(await person.page.getByRole("button", { name, exact: true }).count(), 0, name);
    }
    const headers = { authorization: `Bearer ${person.token}` };
    const path = `${site.world.accounts.url}/events/v2beta1/subscriptions/${uid}`;
    assert.equal((await fetch(path, { method: "DELETE", headers })).status, 403);
    await person.page.goto(site.at(`audit/${organization}`));
    await person.page.getByText("You need the role auditor or owner here.").waitFor();
    await person.page.goto(site.at(`events/${organization}`));
    await person.page.getByText("Live", { exact: true }).waitFor();
    const found = await site.world.http.get(
      `/iam/v2beta1/roleBindings?identity=${encodeURIComponent(person.uid)}`,
    );
    await site.world.http.delete(`/iam/v2beta1/roleBindings/${found.body.roleBindings[0].uid}`);
    await site.heading("No access", person.page).waitFor();
    assert.deepEqual(
      person.complaints.filter((one) => !/status of 40[0134]/.test(one)),
      [],
    );
  });

  test("deletes a subscription", async () => {
    await page.goto(site.at(`subscriptions/${organization}`));
    await page.getByRole("link", { name: "hooks" }).click();
    await page.getByRole("button", { name: "Delete" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
    await page.getByText("No subscription here").waitFor();
    assert.deepEqual(site.complaints, []);
  });
});
