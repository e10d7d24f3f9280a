import assert from "node:assert/strict";
import { after, before, beforeEach, describe, test } from "node:test";
import type { Browser, Page } from "playwright-core";
import { continuePage, donePage, TO_START } from "../../src/login/pages/messages.ts";
import { launchBrowser, openPage } from "../support/browser/browser.ts";
import { LoginSite, samplePages, TICKET } from "../support/browser/login-site.ts";

let browser: Browser;
let site: LoginSite;
/** The page of tests that need no other: opening one costs the browser most of what a test does. */
let page: Page;
let complaints: string[];

before(async () => {
  browser = await launchBrowser();
  site = await LoginSite.start();
  ({ page, complaints } = await openPage(browser));
});
after(async () => {
  await browser?.close();
  await site?.stop();
});
beforeEach(() => {
  site.pages.clear();
  for (const [path, text] of samplePages(site.url)) site.pages.set(path, text);
  site.answers.clear();
  site.posts.length = 0;
  site.formTargets = [];
  complaints.length = 0;
});

/** Presses the key until what has the focus is called so, and returns what was passed. */
async function tabTo(page: Page, name: string): Promise<string[]> {
  const passed: string[] = [];
  while (passed.length < 30) {
    await page.keyboard.press("Tab");
    const focused = page.locator(":focus");
    const called = (await focused.count()) === 0 ? "" : await nameOf(page);
    if (called === name) return passed;
    passed.push(called);
  }
  throw new Error(`never came to ${name}: ${passed.join(", ")}`);
}

async function nameOf(page: Page): Promise<string> {
  return await page.evaluate(
    `(document.activeElement.labels?.[0] ?? document.activeElement).textContent.trim()`,
  );
}

/** The parts of a document that foreign markup could have added. */
interface Found {
  readonly elements: number;
  readonly title: string;
  /** Values of `href`, `action` and `src`. */
  readonly targets: readonly string[];
}

const FIND = `(page) => ({
  elements: page.querySelectorAll("img, main svg, body script, textarea").length,
  title: page.title,
  targets: [...page.querySelectorAll("[href], [action], [src]")].flatMap((element) =>
    ["href", "action", "src"].map((name) => element.getAttribute(name) ?? "")),
})`;

function assertHarmless({ elements, title, targets }: Found, path: string): void {
  assert.equal(elements, 0, path);
  assert.notEqual(title, "run");
  assert.notEqual(targets.length, 0, path);
  for (const target of targets) assert.doesNotMatch(target, /^\s*javascript:/i, path);
}

describe("the sign-in pages in a browser", () => {
  test("show foreign markup as text", async () => {
    const withMarkup = (text: string) =>
      `"><img src=x onerror=alert(1)>'><script>document.title="run"</script></title><textarea>${text}`;
    for (const [path, text] of samplePages(site.url, withMarkup)) {
      site.pages.set(path, text);
      await page.goto(site.url + path);
      assertHarmless(await page.evaluate(`(${FIND})(document)`), path);
    }
    assert.deepEqual(complaints, []);
  });

  // Such an address does nothing before it is followed: the page is parsed, and not rendered.
  test("lead to no script in a foreign address", async () => {
    await page.goto(`${site.url}/done`);
    for (const [path, text] of samplePages(site.url, (text) => `javascript:alert(1)//${text}`)) {
      const parsed = `new DOMParser().parseFromString(${JSON.stringify(text)}, "text/html")`;
      assertHarmless(await page.evaluate(`(${FIND})(${parsed})`), path);
    }
  });

  test("work by keyboard alone, in reading order", async () => {
    await page.goto(`${site.url}/choose`);
    await page.getByRole("button", { name: "Use a passkey" }).waitFor();
    const passed = await tabTo(page, "Create an account");
    assert.deepEqual(passed, [
      "Wharf",
      "Continue with Keycloak acme.example",
      "Continue with Entra ID A rather long name of an organization",
      "Another organization",
      "Organization",
      "Continue",
      "Username",
      "Password",
      "Sign in",
      "Use a passkey",
      "Forgot your password?",
    ]);
    await page.goto(`${site.url}/choose`);
    await tabTo(page, "Username");
    await page.keyboard.type("ada");
    await tabTo(page, "Password");
    await page.keyboard.type("a password");
    await page.keyboard.press("Enter");
    await page.waitForURL("**/oauth/local");
    assert.deepEqual(site.posts, [
      { path: "/oauth/local", body: { login: TICKET, username: "ada", password: "a password" } },
    ]);
  });

  test("show where the focus is", async () => {
    await page.goto(`${site.url}/choose`);
    await tabTo(page, "Continue");
    const outline = await page.evaluate(`getComputedStyle(document.activeElement).outlineStyle`);
    assert.equal(outline, "solid");
  });

  test("put the focus on an error, then on the first field", async () => {
    await page.goto(`${site.url}/device-code-error`);
    assert.match(await page.title(), /^Error: /);
    const alert = page.getByRole("alert").and(page.locator(":focus"));
    assert.equal(await alert.textContent(), "Something was not right.");
    assert.deepEqual(await tabTo(page, "Code"), []);
    assert.equal(await page.getByLabel("Code").inputValue(), "BCDF-GHJK");
  });

  test("accept a user code in lower case, with a space or without separator", async () => {
    const openFocused = async () => {
      await page.goto(`${site.url}/device-code`);
      await page.getByLabel("Code").and(page.locator(":focus")).waitFor();
    };
    for (const code of ["bcdf ghjk", "BCDFGHJK", " bcdf-ghjk "]) {
      await openFocused();
      await page.keyboard.type(code);
      await page.keyboard.press("Enter");
      await page.waitForURL("**/device");
      assert.deepEqual(site.posts.pop(), {
        path: "/device",
        body: { login: TICKET, user_code: code },
      });
    }
    await openFocused();
    await page.keyboard.type("bcdf");
    await page.keyboard.press("Enter");
    assert.equal(await page.locator("input:invalid").count(), 1);
    assert.deepEqual(site.posts, []);
    // Otherwise the browser draws its hint at the field until the page is left.
    await page.goto("about:blank");
  });

  const buttons = [
    {
      path: "/choose",
      name: "Continue with Entra ID",
      to: "/oauth/provider",
      sends: { provider: "uid-2" },
    },
    { path: "/choose", name: "Create an account", to: "/oauth/account", sends: {} },
    { path: "/invite", name: "Accept", to: "/oauth/accept", sends: { decision: "accept" } },
    { path: "/invite", name: "Decline", to: "/oauth/accept", sends: { decision: "decline" } },
    { path: "/invite", name: "Create an account", to: "/oauth/account", sends: {} },
    { path: "/confirm", name: "Allow", to: "/oauth/confirm", sends: { decision: "allow" } },
    { path: "/confirm", name: "Deny", to: "/oauth/confirm", sends: { decision: "deny" } },
  ];
  for (const javaScriptEnabled of [true, false]) {
    describe(javaScriptEnabled ? "with scripts" : "without scripts", () => {
      let page: Page;
      let complaints: string[];
      before(async () => {
        ({ page, complaints } = await openPage(browser, { javaScriptEnabled }));
      });
      after(() => page.context().close());

      for (const { path, name, to, sends } of buttons) {
        test(`${path}: "${name}" is sent with the ticket`, async () => {
          await page.goto(site.url + path);
          await page.getByRole("button", { name }).click();
          await page.waitForURL(site.url + to);
          assert.deepEqual(site.posts, [{ path: to, body: { login: TICKET, ...sends } }]);
          assert.deepEqual(complaints, []);
        });
      }

      test("the typed organization is sent", async () => {
        await page.goto(`${site.url}/choose-provider`);
        const name = page.getByRole("textbox", { name: "Organization" });
        assert.equal(await name.isVisible(), false);
        await page.getByText("Another organization").click();
        await name.fill("acme");
        await page.getByRole("button", { name: "Continue", exact: true }).click();
        await page.waitForURL("**/oauth/provider");
        assert.deepEqual(site.posts.pop()?.body, { login: TICKET, organization: "acme" });
      });

      test("accounts require the password twice", async () => {
        await page.goto(`${site.url}/setup-first`);
        await page.getByLabel("Setup code").fill("a-code");
        await page.getByLabel("Organization").fill("acme");
        await page.getByLabel("Username").fill("ada");
        await page.getByLabel("Password", { exact: true }).fill("one two three");
        await page.getByLabel("Password again").fill("one two three");
        await page.getByRole("button", { name: "Create account" }).click();
        await page.waitForURL("**/setup");
        const account = {
          username: "ada",
          password: "one two three",
          password_again: "one two three",
        };
        assert.deepEqual(site.posts.pop()?.body, {
          code: "a-code",
          organization: "acme",
          ...account,
        });

        await page.goto(`${site.url}/account`);
        assert.equal(await page.getByLabel("Username").inputValue(), "ada");
        await page.getByLabel("Password", { exact: true }).fill("one two three");
        await page.getByLabel("Password again").fill("one two three");
        await page.keyboard.press("Enter");
        await page.waitForURL("**/oauth/account");
        assert.deepEqual(site.posts.pop()?.body, { login: TICKET, ...account });
      });

      test("passkeys are offered only where they work", async () => {
        for (const path of ["/choose", "/setup-first", "/account"]) {
          await page.goto(site.url + path);
          const button = page.getByRole("button", { name: /passkey/ });
          assert.equal(await button.isVisible(), javaScriptEnabled, path);
        }
      });

      test("the redirect to another site after a form is a page", async () => {
        const other = await LoginSite.start();
        try {
          other.pages.set("/hop", donePage({ title: "There", text: "", next: TO_START }));
          const url = `${other.url}/hop?a=1&b=%22`;
          const text = "On to your provider.";
          site.answers.set("/oauth/provider", () =>
            continuePage({ title: "Signing in", text, url }),
          );
          await page.goto(`${site.url}/choose`);
          await page.getByRole("button", { name: "Continue with Keycloak" }).click();
          await page.waitForURL(url);
        } finally {
          await other.stop();
        }
      });
    });
  }

  describe("a redirect after a form", () => {
    let other: LoginSite;
    before(async () => {
      other = await LoginSite.start();
      other.pages.set("/hop", donePage({ title: "There", text: "", next: TO_START }));
    });
    after(() => other.stop());

    async function follow(page: Page): Promise<void> {
      site.answers.set("/oauth/provider", () => ({ redirect: `${other.url}/hop` }));
      await page.goto(`${site.url}/choose`);
      await page.getByRole("button", { name: "Continue with Keycloak" }).click();
    }

    test("cannot go to other sites", async () => {
      // The browser reports it, and the page that watches for violations: the next test must see neither.
      const reported = [/^policy: form-action/, /^(?!policy:).*form-action/s].map((pattern) =>
        page.waitForEvent("console", (message) => pattern.test(message.text())),
      );
      await follow(page);
      await Promise.all(reported);
      assert.equal(page.url(), `${site.url}/choose`);
    });

    test("can go to a site in the headers", async () => {
      site.formTargets = [`${other.url}/authorize?client_id=1`];
      await follow(page);
      await page.waitForURL(`${other.url}/hop`);
      assert.deepEqual(complaints, []);
    });
  });
});
