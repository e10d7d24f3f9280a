import assert from "node:assert/strict";
import { text } from "node:stream/consumers";
import type { Browser, Download, Locator, Page } from "playwright-core";
import {
  launchBrowser,
  openPage,
  type WatchedPage,
} from "../../../server/test/support/browser/browser.ts";
import { HttpBrowser } from "../../../server/test/support/browser/http-browser.ts";
import { PASSWORD } from "../../../server/test/support/world/local-accounts.ts";
import { TrackedRegistry } from "../../../server/test/support/world/tracked-registry.ts";
import { type Member, World } from "../../../server/test/support/world/world.ts";

/** What a browser says of requests before the sign-in, of those with invalid fields, and of what was just deleted. */
const EXPECTED = /status of 40[014]/;

/** What the browser saved, also if it is shared and has files of its own. */
export async function savedText(download: Promise<Download>): Promise<string> {
  return text(await (await download).createReadStream());
}

/** A server with an owner, and a real browser at its console. */
export class ConsoleSite {
  readonly world: World;
  readonly browser: Browser;
  readonly page: Page;
  /** The uid of `acme`, the organization of the owner. */
  readonly organization: string;
  readonly #complaints: string[];
  #tracked: TrackedRegistry | undefined;

  private constructor(
    world: World,
    browser: Browser,
    { page, complaints }: WatchedPage,
    organization: string,
  ) {
    this.world = world;
    this.browser = browser;
    this.page = page;
    this.organization = organization;
    this.#complaints = complaints;
  }

  static async start(): Promise<ConsoleSite> {
    const world = await World.start();
    await world.accounts.setUp();
    return ConsoleSite.#open(world);
  }

  /** A server with an attached registry as well, whose organization the owner owns. */
  static async startWithRegistry({ proxied = false } = {}): Promise<ConsoleSite> {
    const flags = ["--reconcile-minutes", "0"];
    const tracked = await TrackedRegistry.start({ owner: "harbor", flags, proxied });
    const site = await ConsoleSite.#openOwned(tracked.world);
    site.#tracked = tracked;
    return site;
  }

  /** A server that is a registry itself, whose organization the owner owns. */
  static async startAsRegistry(): Promise<ConsoleSite> {
    return ConsoleSite.#openOwned(await World.start({ registry: true, owner: "harbor" }));
  }

  /** Makes the person who has set the installation up an owner of the registry's organization. */
  static async #openOwned(world: World): Promise<ConsoleSite> {
    const { body } = await world.http.get("/iam/v2beta1/identities?page_size=200");
    const owner = body.identities.find(({ name }: { name: string }) => name === "ada");
    await world.bind(world.registry.organization, owner.uid, "owner");
    return ConsoleSite.#open(world);
  }

  /** The attached registry. */
  get tracked(): TrackedRegistry {
    assert.ok(this.#tracked, "start the site with a registry");
    return this.#tracked;
  }

  static async #open(world: World): Promise<ConsoleSite> {
    const { body } = await world.http.get("/iam/v2beta1/groups?name=acme");
    const browser = await launchBrowser();
    const watched = await openPage(browser);
    watched.page.on("dialog", () => assert.fail("a script of someone else has run"));
    return new ConsoleSite(world, browser, watched, body.groups[0].uid);
  }

  /** A page of somebody else, who is signed in with a token of the server. */
  async pageOf({ uid, token }: Member, name: string): Promise<Page> {
    const { page, complaints } = await openPage(this.browser);
    page.on("dialog", () => assert.fail("a script of someone else has run"));
    complaints.push = (...more) => this.#complaints.push(...more);
    await page.route("**/console/session/token", (route) =>
      route.fulfill({
        json: {
          accessToken: token,
          expires: Date.now() + 600_000,
          identity: uid,
          name,
          session: "",
        },
      }),
    );
    return page;
  }

  async stop(): Promise<void> {
    await this.browser.close();
    await this.world.stop();
  }

  /** The URL of a screen. */
  at(screen: string): string {
    return `${this.world.accounts.url}/console/${screen}`;
  }

  heading(name: string, on = this.page) {
    return on.getByRole("heading", { level: 1, name, exact: true });
  }

  button(name: string) {
    return this.page.getByRole("button", { name, exact: true });
  }

  async signIn(username = "ada", on = this.page): Promise<void> {
    await on.getByLabel("Username").fill(username);
    await on.getByLabel("Password", { exact: true }).fill(PASSWORD);
    await on.getByRole("button", { name: "Sign in", exact: true }).click();
  }

  /** Signs in again in the window that a form asks to open, until it closes. */
  async signInAgain(form: Locator, username = "ada"): Promise<void> {
    const opened = form.page().context().waitForEvent("page");
    await form.getByRole("button", { name: "Sign in again" }).click();
    const popup = await opened;
    const closed = popup.waitForEvent("close");
    await this.signIn(username, popup);
    await closed;
  }

  /** Asks for a screen, which leads to the sign-in page and back to the screen with this heading. */
  async signInAt(screen = "organizations", heading = "Organizations"): Promise<void> {
    await this.page.goto(this.at(screen));
    await this.signIn();
    await this.heading(heading).waitFor();
  }

  /** Accepts an invite with a new account, and signs it in: a second person, in a browser of their own. */
  async join(link: string, username: string): Promise<WatchedPage> {
    const browser = new HttpBrowser();
    const form = await browser.submit(await browser.open(link), {}, { action: "/oauth/account" });
    const fields = { username, password: PASSWORD, password_again: PASSWORD };
    assert.match((await browser.submit(form, fields)).text, /Invite accepted/);
    const watched = await openPage(this.browser);
    await watched.page.goto(this.at("organizations"));
    await this.signIn(username, watched.page);
    await this.heading("Organizations", watched.page).waitFor();
    return watched;
  }

  /** What the browser complained about, violations of the content security policy included. */
  get complaints(): string[] {
    return this.#complaints.filter((one) => !EXPECTED.test(one));
  }

  /** Sends a request as the person in the browser, who owns what it creates. */
  async post(path: string, body: object): Promise<Record<string, string>> {
    const script = `(async () => {
      const { accessToken } = await (await fetch("/console/session/token", { method: "POST" })).json();
      const headers = { authorization: "Bearer " + accessToken, "content-type": "application/json" };
      const body = ${JSON.stringify(JSON.stringify(body))};
      return (await fetch(${JSON.stringify(path)}, { method: "POST", headers, body })).json();
    })()`;
    return this.page.evaluate(script);
  }

  /** Leaves out what a test provoked. */
  forgetComplaints(expected: RegExp): void {
    const left = this.#complaints.filter((one) => !expected.test(one));
    this.#complaints.splice(0, this.#complaints.length, ...left);
  }
}
