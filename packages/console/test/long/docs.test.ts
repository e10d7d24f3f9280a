import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Page } from "playwright-core";
import { JWT_START } from "../../../server/test/support/client/tokens.ts";
import { HOSTILE } from "../support/hostile.ts";
import { ConsoleSite } from "../support/site.ts";

describe("the API reference in a real browser", () => {
  let site: ConsoleSite;
  let page: Page;
  before(async () => {
    site = await ConsoleSite.start();
    ({ page } = site);
  });
  after(() => site.stop());

  test("describes every operation to people who are not signed in", async () => {
    const sent: string[] = [];
    page.on("request", (request) => sent.push(new URL(request.url()).pathname));
    await page.goto(`${site.world.accounts.url}/docs`);
    await site.heading("API reference").waitFor();
    const response = await page.request.get(`${site.world.accounts.url}/openapi.json`);
    const { paths } = await response.json();
    const operations = Object.values(paths).flatMap((item) => Object.keys(item as object));
    assert.equal(await page.locator("main .used li").count(), operations.length);
    await page.getByLabel("Find operations and schemas").fill("create group invite");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await site.heading("Create group invite").waitFor();
    await page.getByText("wharf.groupInvites.create").waitFor({ state: "detached" });
    await site.button("TypeScript").press("Enter");
    await page.getByText("await wharf.groupInvites.create(").waitFor();
    await site.button("wharf").press("Enter");
    await page.getByText("wharf api POST /iam/v2beta1/groupInvites/").waitFor();
    await page.getByLabel("Find operations and schemas").fill("AuditIntegrity");
    await page.getByRole("link", { name: "AuditIntegrity", exact: true }).click();
    await site.heading("AuditIntegrity").waitFor();
    await page.getByText("previousHash").waitFor();
    await page.goBack();
    await site.heading("Create group invite").waitFor();
    assert.ok(!sent.some((path) => path.startsWith("/console/session")), "no session is asked for");
    assert.deepEqual(site.complaints, []);
  });

  test("sends requests with the session of the console, and only with it", async () => {
    await page.goto(`${site.world.accounts.url}/docs/operation/GroupsService_ListGroups`);
    await site.button("Try it with your session").click();
    await page.getByRole("link", { name: "Sign in to the console" }).click();
    await site.signIn();
    await site.heading("List groups").waitFor();
    await site.button("Try it with your session").click();
    await page.getByLabel("name", { exact: true }).fill("acme");
    await site.button("Send request").click();
    await page.getByText(/HTTP 200 in/).waitFor();
    await page.locator(".try-it").getByText('"name": "acme"').waitFor();
    const stored = await page.evaluate("JSON.stringify([localStorage, sessionStorage])");
    assert.doesNotMatch(String(stored), JWT_START);
    const { organization } = site;
    await page.goto(`${site.world.accounts.url}/docs/operation/GroupsService_CreateGroup`);
    await site.button("Try it with your session").click();
    await page.getByLabel("parent", { exact: true }).fill(organization);
    const body = { name: "docs", description: HOSTILE };
    await page.getByLabel("Body (JSON)").fill(JSON.stringify(body));
    await site.button("Send request").click();
    await page.getByText(/HTTP 200 in/).waitFor();
    await page.locator(".try-it .code").getByText("onerror=alert(1)").waitFor();
    assert.deepEqual(site.complaints, []);
  });

  test("leads on from addresses that do not exist", async () => {
    await page.goto(`${site.world.accounts.url}/docs/operation/none`);
    await site.heading("Not found").waitFor();
    const response = await page.goto(`${site.world.accounts.url}/nothing/here`);
    assert.equal(response?.status(), 404);
    await page.getByRole("link", { name: "Start page" }).click();
    site.forgetComplaints(/404/);
    assert.deepEqual(site.complaints, []);
  });
});
