import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { ConsoleBrowser } from "./support/browser/console-browser.ts";
import type { Visited } from "./support/browser/http-browser.ts";
import { Http } from "./support/client/http.ts";
import { type ProviderFault, RogueProvider } from "./support/providers/rogue-provider.ts";
import { until } from "./support/until.ts";
import { roleNamed, World } from "./support/world/world.ts";

const IAM = "/iam/v2beta1";
const seconds = () => Math.floor(Date.now() / 1000);

describe("a recent sign-in by an identity provider", () => {
  let world: World;
  let organization: string;
  before(async () => {
    // Identity providers and the console return to one origin.
    world = await World.start({ login: true });
    ({ organization } = world.login);
  });
  after(() => world.stop());

  /** A browser at the origin that the provider leads back to. */
  class ProviderBrowser extends ConsoleBrowser {
    override readonly origin = world.server.url;

    /** The authorization URL that the console leads to. */
    async leave(provider: string, again = false): Promise<URL> {
      const page = await this.openSignIn(again);
      const { issuer } = world.login.upstream;
      const to = provider === world.login.provider ? issuer : rogue.url;
      const how = { action: "/oauth/provider", until: to };
      return new URL((await this.submit(page, { provider }, how)).url);
    }

    /** Signs in as ada at the real provider, at an address that may be changed on the way. */
    async visit(again = false, change = (_url: URL) => {}): Promise<Visited> {
      const url = await this.leave(world.login.provider, again);
      change(url);
      return world.login.signIn(this, url.href, "ada", `${this.origin}/console/`);
    }

    async authTime(): Promise<unknown> {
      return (await this.claims()).auth_time;
    }

    async deletesFolder(): Promise<number> {
      const uid = await world.group(organization);
      const http = new Http(world.server.url, await this.token());
      return (await http.delete(`${IAM}/groups/${uid}`)).status;
    }
  }

  let rogue: RogueProvider;
  let rogueUid: string;
  before(async () => {
    rogue = await RogueProvider.start();
    ({ uid: rogueUid } = await world.post(`identityProviders/${organization}`, {
      name: "rogue",
      defaultRole: roleNamed("owner"),
      oidc: { issuer: rogue.url, clientId: rogue.client.id, clientSecret: rogue.client.secret },
    }));
    const first = new ProviderBrowser(world);
    await first.visit();
    await world.bind(organization, (await first.claims()).sub ?? "", "owner");
  });
  after(() => rogue.stop());

  /** Signs in at the other provider, whose ID token says this. */
  async function signInAt(browser: ProviderBrowser, fault: ProviderFault, again = false) {
    rogue.misbehave(fault);
    const url = await browser.leave(rogueUid, again);
    const callback = `${browser.origin}/oauth/callback?${rogue.wayBack(url.href)}`;
    return browser.open(callback, `${browser.origin}/console/`);
  }

  test("the real provider is asked when the person signed in, and its session keeps that time", async () => {
    const browser = new ProviderBrowser(world);
    await browser.visit();
    const first = Number(await browser.authTime());
    const { sid } = await browser.claims();
    assert.equal(await browser.deletesFolder(), 200);
    await until(async () => seconds() > first + 1);
    await browser.signOut();
    // The provider still knows the browser, and asks for nothing.
    await browser.visit();
    assert.notEqual((await browser.claims()).sid, sid);
    assert.equal(await browser.authTime(), first);
    await browser.visit(true);
    assert.ok(Number(await browser.authTime()) > first);
  });

  test("an authorization URL that was changed in the browser proves no new sign-in", async () => {
    const browser = new ProviderBrowser(world);
    await browser.visit();
    const before = (await browser.claims()).sid;
    const strip = (url: URL) => {
      url.searchParams.delete("prompt");
      url.searchParams.delete("max_age");
    };
    const page = await browser.visit(true, strip);
    assert.equal(page.status, 403);
    assert.match(page.text, /auth_time/);
    assert.equal((await browser.claims()).sid, before, "the session goes on as it was");
    // Without the limit the provider does not say when; such a sign-in is never recent.
    const other = new ProviderBrowser(world);
    await other.visit(false, strip);
    assert.equal(await other.authTime(), undefined);
    assert.equal(await other.deletesFolder(), 401);
  });

  const answers: Record<string, [claims: () => object, isRecent: boolean]> = {
    "says nothing": [() => ({}), false],
    "says hours ago": [() => ({ auth_time: seconds() - 8 * 3600 }), false],
    "says tomorrow": [() => ({ auth_time: seconds() + 86_400 }), false],
    "says now": [() => ({ auth_time: seconds() }), true],
    "says a minute ago": [() => ({ auth_time: seconds() - 60 }), true],
  };
  for (const [name, [claims, isRecent]] of Object.entries(answers)) {
    test(`a provider that ${name}: ${isRecent ? "recent" : "not recent, also after signing out and in"}`, async () => {
      const browser = new ProviderBrowser(world);
      const fault = () => ({ claims: claims(), callback: { iss: rogue.url } }) as ProviderFault;
      await signInAt(browser, fault());
      const expected = isRecent ? 200 : 401;
      assert.equal(await browser.deletesFolder(), expected);
      const renewal = await signInAt(browser, fault(), true);
      assert.equal(/You are signed in/.test(renewal.text), isRecent);
      await browser.signOut();
      await signInAt(browser, fault());
      assert.equal(await browser.deletesFolder(), expected);
    });
  }

  test("a plain sign-in asks for no password that the provider has seen within a session's lifetime", async () => {
    const browser = new ProviderBrowser(world);
    const url = await browser.leave(world.login.provider);
    assert.equal(url.searchParams.get("max_age"), String(30 * 86_400));
    assert.equal(url.searchParams.get("prompt"), null);
    const signedIn = new ProviderBrowser(world);
    await signedIn.visit();
    const renewal = await signedIn.leave(world.login.provider, true);
    assert.deepEqual(
      [renewal.searchParams.get("prompt"), renewal.searchParams.get("max_age")],
      ["login", "0"],
    );
  });
});
