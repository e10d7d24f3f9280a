import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { Walker } from "./support/browser/http-browser.ts";
import { Tool } from "./support/client/oauth-client.ts";
import { STORES } from "./support/server/test-server.ts";
import { LoginWorld } from "./support/world/login.ts";

for (const store of STORES) {
  describe(`a sign-in that begins at another loopback name, on ${store}`, () => {
    let world: LoginWorld;
    let tool: Tool;
    before(async () => {
      world = await LoginWorld.start({ store });
      tool = await Tool.start(world.server.url.replace("//127.0.0.1:", "//localhost:"));
    });
    after(async () => {
      tool?.stop();
      await world.stop();
    });

    test("returns to the auth URL, and continues where it began", async () => {
      const url = tool.loginUrl({ idp_id: world.provider });
      assert.ok(url.startsWith("http://localhost:"));
      const page = await world.signIn(new Walker(), url, "ada", tool.redirectUri);
      assert.ok(page.url.startsWith(tool.redirectUri), page.text);
      const tokens = await tool.redeem(new URL(page.url).searchParams);
      assert.equal(tokens.status, 200, tokens.error_description);
    });

    test("is rejected in any other browser, there as well", async () => {
      const walker = new Walker();
      const url = tool.loginUrl({ idp_id: world.provider });
      const callback = `${world.server.url}/oauth/callback`;
      const { url: back } = await world.signIn(walker, url, "ada", callback);
      assert.ok(back.startsWith(callback), back);
      const page = await new Walker().open(back);
      assert.equal(page.status, 403);
      assert.ok(page.url.startsWith("http://localhost:"), page.url);
      assert.match(page.text, /started in another browser/);
      const again = await walker.open(back);
      assert.equal(again.status, 403, "the ticket is spent");
    });
  });
}
