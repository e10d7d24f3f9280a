import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { HttpBrowser } from "./support/browser/http-browser.ts";
import { OAuthClient } from "./support/client/tokens.ts";
import { STORES } from "./support/server/test-server.ts";
import { World } from "./support/world/world.ts";

for (const store of STORES) {
  describe(`a sign-in that begins at another loopback name, on ${store}`, () => {
    let world: World;
    let app: OAuthClient;
    before(async () => {
      world = await World.start({ login: true, store });
      app = await OAuthClient.start(world.server.url.replace("//127.0.0.1:", "//localhost:"));
    });
    after(async () => {
      app?.stop();
      await world.stop();
    });

    test("returns to the auth URL, and continues where it began", async () => {
      const url = app.loginUrl({ idp_id: world.login.provider });
      assert.ok(url.startsWith("http://localhost:"));
      const page = await world.login.signIn(new HttpBrowser(), url, "ada", app.redirectUri);
      assert.ok(page.url.startsWith(app.redirectUri), page.text);
      const tokens = await app.redeem(new URL(page.url).searchParams);
      assert.equal(tokens.status, 200, tokens.error_description);
    });

    test("is rejected in any other browser, there as well", async () => {
      const browser = new HttpBrowser();
      const url = app.loginUrl({ idp_id: world.login.provider });
      const callback = `${world.server.url}/oauth/callback`;
      const { url: back } = await world.login.signIn(browser, url, "ada", callback);
      assert.ok(back.startsWith(callback), back);
      const page = await new HttpBrowser().open(back);
      assert.equal(page.status, 403);
      assert.ok(page.url.startsWith("http://localhost:"), page.url);
      assert.match(page.text, /started in another browser/);
      const again = await browser.open(back);
      assert.equal(again.status, 403, "the ticket is spent");
    });
  });
}
