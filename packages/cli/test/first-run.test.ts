import assert from "node:assert/strict";
import { test } from "node:test";
import { HttpBrowser } from "../../server/test/support/browser/http-browser.ts";
import { PASSWORD } from "../../server/test/support/world/local-accounts.ts";
import { World } from "../../server/test/support/world/world.ts";
import { Home } from "./support/auth-home.ts";

test("from the first run to the first listed repo", async () => {
  const world = await World.start();
  const home = new Home({ WHARF_API: world.server.url });
  try {
    assert.equal((await world.accounts.setUp()).status, 200);
    const login = home.start(["auth", "login", "--no-browser"]);
    const [url] = await login.says(/http:\S+/);
    const browser = new HttpBrowser();
    const page = await browser.open(url);
    const form = { username: "ada", password: PASSWORD };
    const thanks = await browser.submit(page, form, { action: "/oauth/local" });
    assert.match(thanks.text, /You are signed in/);
    const { code, stderr } = await login.ended;
    assert.equal(code, 0, stderr);
    assert.match(stderr, /organizations: acme \(owner\)/);

    await home.ok(["iam", "folders", "create", "platform", "--parent", "acme"]);
    await home.ok(["repos", "create", "nginx", "--parent", "acme/platform"]);
    const { items } = JSON.parse(await home.ok(["repos", "list", "-o", "json"]));
    assert.deepEqual(
      items.map(({ name }: { name: string }) => name),
      ["nginx"],
    );
    await home.ok(["auth", "logout"]);
    assert.equal((await home.run(["repos", "list"])).code, 3);
  } finally {
    home.remove();
    await world.stop();
  }
});
