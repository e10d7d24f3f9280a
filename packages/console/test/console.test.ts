import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Page } from "playwright-core";
import { ageSessions } from "../../server/test/support/browser/console-browser.ts";
import { HOSTILE } from "./support/hostile.ts";
import { Keyboard } from "./support/keyboard.ts";
import { ConsoleSite } from "./support/site.ts";

describe("the web console in a real browser", () => {
  let site: ConsoleSite;
  let page: Page;
  let organization: string;

  before(async () => {
    site = await ConsoleSite.start();
    ({ page, organization } = site);
  });
  after(() => site.stop());

  test("leads to the sign-in page, and back to the screen that was asked for", async () => {
    await page.goto(site.at("account"));
    await site.signIn();
    await site.heading("Account").waitFor();
    assert.equal(new URL(page.url()).pathname, "/console/account");
    await page.goto(site.world.accounts.url);
    await site.heading("Get started with acme").waitFor();
    assert.deepEqual(site.complaints, []);
  });

  test("creates a folder, shows what others wrote as text, and edits it", async () => {
    await page.getByRole("link", { name: "acme" }).click();
    await site.heading("acme").waitFor();
    await site.button("Create folder").first().click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Name").fill("Platform");
    await dialog.getByRole("button", { name: "Create folder" }).click();
    await dialog.getByRole("alert").filter({ hasText: /name/i }).waitFor();
    await dialog.getByLabel("Name").fill("platform");
    await dialog.getByLabel("Description").fill(HOSTILE);
    await dialog.getByRole("button", { name: "Create folder" }).click();
    await page.getByText(HOSTILE, { exact: true }).waitFor();
    await page.getByRole("link", { name: "platform" }).click();
    await site.heading("platform").waitFor();
    await page.getByText(HOSTILE, { exact: true }).waitFor();
    await site.button("Edit").click();
    await dialog.getByLabel("Description").fill("keeps the lights on");
    await dialog.getByRole("button", { name: "Save" }).click();
    await page.getByText("keeps the lights on").waitFor();
    assert.deepEqual(site.complaints, []);
  });

  test("grants and revokes access with the keyboard", async () => {
    const { body: identity } = await site.world.http.post(
      `/iam/v2beta1/identities/${organization}`,
      {
        name: "ci",
        claimMatch: { issuer: "https://ci.example.com", subject: "app" },
      },
    );
    const keys = await Keyboard.of(page);
    await page.goto(site.at(`access/${organization}`));
    await site.button("Grant access").focus();
    await page.keyboard.press("Enter");
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Identity").waitFor();
    await keys.pick("Identity", "ci");
    await keys.pick("Role", "viewer");
    await dialog.getByRole("button", { name: "Grant access" }).press("Enter");
    const row = page.getByRole("row").filter({ has: page.getByText("ci", { exact: true }) });
    await row.filter({ hasText: "viewer" }).waitFor();
    await row.getByRole("button", { name: "Revoke" }).press("Enter");
    await dialog.getByRole("button", { name: "Revoke" }).press("Enter");
    // An open dialog hides the rows, too.
    await page.getByText("Access was revoked.").waitFor();
    await row.waitFor({ state: "detached" });
    const path = `/iam/v2beta1/roleBindings?identity=${encodeURIComponent(identity.uid)}`;
    assert.deepEqual((await site.world.http.get(path)).body.roleBindings, []);
  });

  test("rejects values of an identity while they are typed, with the message of the rule", async () => {
    const identities = async () => {
      const { body } = await site.world.http.get("/iam/v2beta1/identities?name=from-form");
      return body.identities as { claimMatch: object; staticKeys: object }[];
    };
    const open = async (platform: string) => {
      await page.goto(`${site.at(`new-identity/${organization}`)}?platform=${platform}`);
      await page.getByLabel("Name", { exact: true }).fill("from-form");
    };
    const field = (label: string) => page.getByLabel(label, { exact: true });
    const message = (label: string) =>
      field(label).evaluate((one) => {
        const { validationMessage } = one as { validationMessage?: string };
        return validationMessage ?? "";
      });
    await open("github");
    await field("Branch").fill("main");
    for (const repository of ["acme", "acme/app/extra"]) {
      await field("Repository").fill(repository);
      const problem = `Must be OWNER/NAME, such as acme/app, not "${repository}".`;
      await page.getByText(problem, { exact: true }).waitFor();
      assert.equal(await field("Repository").getAttribute("aria-invalid"), "true");
      await field("Repository").press("Enter");
      assert.equal(await message("Repository"), problem);
    }
    await open("kubernetes");
    await field("Namespace").fill("prod");
    await field("Service account").fill("web");
    await field("Service account").press("Enter");
    assert.match(await message("Issuer of the cluster"), /^Is required: the issuer URL/);
    await open("any");
    await field("Issuer").fill("https://ci.example.com");
    await field("Subject").fill("app");
    await field("Further claims").fill("team: a");
    await page.getByText(/^Must be one NAME=VALUE per line/).waitFor();
    await field("Subject").press("Enter");
    assert.deepEqual(await identities(), [], "none of them was sent");
    await open("github");
    await field("Branch").fill("main");
    await field("Host").fill("github.com");
    await field("Repository").fill("acme/app");
    await field("Repository").press("Enter");
    await site.heading("from-form").waitFor();
    assert.deepEqual((await identities())[0]?.claimMatch, {
      issuer: "https://token.actions.githubusercontent.com",
      subjectPattern: "repo:acme(@[0-9]+)?/app(@[0-9]+)?:ref:refs/heads/main",
      claims: {},
      claimPatterns: {},
    });
    assert.deepEqual(site.complaints, []);
  });

  test("warns of revoking an own role, and keeps the last owner", async () => {
    await page.goto(site.at(`people/${organization}`));
    const row = page.getByRole("row").filter({ hasText: "owner" });
    await row.getByRole("button", { name: "Revoke" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByText("you will lose access to acme, unless another role grants it").waitFor();
    await dialog.getByRole("button", { name: "Revoke" }).click();
    await dialog.getByText('"acme" would have no owner left').waitFor();
    await page.keyboard.press("Escape");
    await row.waitFor();
    assert.deepEqual(site.complaints, []);
  });

  test("takes keys in a dialog from the moment it is there, and returns the focus", async () => {
    await page.goto(site.at(`folders/${organization}`));
    const button = site.button("Create folder").first();
    const openers = {
      Name: "Enter",
      "Find pages, folders, vulnerabilities and packages": "Control+k",
    };
    for (const [field, key] of Object.entries(openers)) {
      await button.press(key);
      await page.getByRole("dialog").getByLabel(field).waitFor();
      await page.keyboard.press("Escape");
      await button.and(page.locator(":focus")).waitFor();
    }
    // What waits for the next frame waits forever.
    await page.evaluate("requestAnimationFrame = () => 0");
    for (const [field, key] of Object.entries(openers)) {
      await page.keyboard.press(key);
      await page.keyboard.type("early");
      assert.equal(await page.getByRole("dialog").getByLabel(field).inputValue(), "early");
      await page.keyboard.press("Escape");
      // The first one keeps what was typed into a form.
      if (field === "Name") {
        await page.getByRole("dialog").getByText("Press Escape again").waitFor();
        await page.keyboard.press("Escape");
      }
      await button.and(page.locator(":focus")).waitFor();
    }
    assert.deepEqual(site.complaints, []);
  });

  test("shows a message whose code arrives after the change", async () => {
    const { promise: done, resolve: release } = Promise.withResolvers<void>();
    const isPart = (url: URL) => /\/part-[^/]+\.js$/.test(url.pathname);
    let held = 0;
    await page.route(isPart, async (route) => {
      const response = await route.fetch();
      if ((await response.text()).includes('"toast-title"')) {
        held += 1;
        await done;
      }
      await route.fulfill({ response });
    });
    await page.goto(site.at(`folders/${organization}`));
    await site.button("Create folder").first().click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Name").fill("early-bird");
    await dialog.getByRole("button", { name: "Create folder" }).click();
    await page.getByRole("link", { name: "early-bird" }).waitFor();
    await dialog.waitFor({ state: "detached" });
    assert.equal(held, 1);
    release();
    await page.locator(".toast", { hasText: "early-bird" }).waitFor();
    await page.unroute(isPart);
    assert.deepEqual(site.complaints, []);
  });

  test("asks to sign in again before a folder is deleted, and goes on by itself", async () => {
    const name = "short-lived";
    const { body } = await site.world.http.post(`/iam/v2beta1/groups/${organization}`, { name });
    await ageSessions(site.world, 16);
    await page.goto(site.at(`folders/${body.uid}`));
    await site.button("Delete").click();
    const dialog = page.getByRole("dialog");
    const rejected = page.waitForResponse((one) => one.request().method() === "DELETE");
    await dialog.getByRole("button", { name: "Delete" }).click();
    assert.match(
      (await (await rejected).allHeaders())["www-authenticate"] ?? "",
      /^Bearer error="insufficient_user_authentication", max_age="900", resource_metadata="/,
    );
    await site.signInAgain(dialog);
    await page.getByText("short-lived was deleted.").waitFor();
    await site.heading("acme").waitFor();
    assert.deepEqual(site.complaints, []);
  });

  test("does not issue tokens to other origins, nor without the cookie", async () => {
    const url = site.at("session/token");
    const { host } = new URL(url);
    const cookie = (await page.context().cookies()).map(({ name, value }) => `${name}=${value}`);
    const ask = async (headers: Record<string, string>) =>
      (await fetch(url, { method: "POST", headers })).status;
    const own = { origin: `http://${host}`, cookie: cookie.join("; ") };
    assert.equal(await ask({ ...own, "sec-fetch-site": "same-origin" }), 200);
    assert.equal(await ask({ ...own, "sec-fetch-site": "same-site" }), 403);
    assert.equal(await ask({ ...own, origin: "https://evil.example" }), 403);
    assert.equal(await ask({ cookie: own.cookie }), 403);
    assert.equal(await ask({ origin: own.origin }), 401);
    const found = (await page.context().cookies()).find(({ name }) =>
      name.endsWith("wharf_console"),
    );
    assert.equal(found?.httpOnly, true);
    assert.equal(found?.sameSite, "Strict");
  });

  test("leads nowhere else after a sign-in", async () => {
    const elsewhere = encodeURIComponent("//evil.example/console/");
    await page.goto(site.at(`sign-in?to=${elsewhere}`));
    await site.heading("Get started with acme").waitFor();
    assert.equal(new URL(page.url()).pathname, "/console/");
  });

  test("signs out in every tab, and its tokens stop working", async () => {
    const other = await page.context().newPage();
    await other.goto(site.at("organizations"));
    await site.heading("Organizations", other).waitFor();
    const asked = other.waitForRequest(/\/iam\/v2beta1\/groups/);
    await other.reload();
    const { authorization = "" } = await (await asked).allHeaders();
    await page.goto(site.at("organizations"));
    await page.getByRole("button", { name: /^Account of/ }).click();
    const end = "**/console/session/end";
    await page.route(end, (route) => route.fulfill({ status: 503 }));
    await site.button("Sign out").click();
    await page.locator(".toast", { hasText: "The server answers 503." }).waitFor();
    await page.unroute(end);
    await page.route(end, async (route) => {
      const response = await route.fetch();
      // Another tab notices the end of the session before this one has the answer.
      await other.evaluate('new BroadcastChannel("wharf-session").postMessage("ended")');
      await other.getByLabel("Username").waitFor();
      await route.fulfill({ response });
    });
    await site.button("Sign out").click();
    await page.getByRole("link", { name: "Open the console" }).waitFor();
    await page.unroute(end);
    const headers = { authorization };
    const { status } = await fetch(`${site.world.accounts.url}/iam/v2beta1/groups`, { headers });
    assert.equal(status, 401);
  });

  test("leads to the sign-in page if the answer to signing out is lost", async () => {
    await site.signInAt();
    const other = await page.context().newPage();
    await other.goto(site.at("organizations"));
    await site.heading("Organizations", other).waitFor();
    const end = "**/console/session/end";
    await page.route(end, async (route) => {
      await route.fetch();
      await other.evaluate('new BroadcastChannel("wharf-session").postMessage("ended")');
      await other.getByLabel("Username").waitFor();
      await route.abort();
    });
    await page.getByRole("button", { name: /^Account of/ }).click();
    await site.button("Sign out").click();
    await page.getByLabel("Username").waitFor();
    await page.unroute(end);
  });
});
