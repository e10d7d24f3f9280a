import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { LoginWorld } from "./support/login-world.ts";
import { Tool } from "./support/tool.ts";
import { Walker } from "./support/walker.ts";

describe("a login that begins at another name of the machine", () => {
  let world: LoginWorld;
  before(async () => {
    world = await LoginWorld.start();
  });
  after(() => world.stop());

  const elsewhere = (url: string) => url.replace("//127.0.0.1:", "//localhost:");

  test("moves to the address that it comes back to, and ends as any other", async () => {
    const tool = await Tool.start(elsewhere(world.server.url));
    const url = tool.loginUrl({ idp_id: world.provider });
    assert.ok(url.startsWith("http://localhost:"));
    const page = await world.signIn(new Walker(), url, "ada", tool.redirectUri);
    assert.ok(page.url.startsWith(tool.redirectUri), page.text);
    const { access_token } = await tool.redeem(new URL(page.url).searchParams);
    assert.notEqual(access_token, "");
    tool.stop();
  });

  test("keeps what it was asked for, and only names of the same machine move", async () => {
    const { port } = new URL(world.server.url);
    const asked = async (host: string, path: string) => {
      const { request } = await import("node:http");
      const { promise, resolve } = Promise.withResolvers<[number, string | undefined]>();
      request({ host: "127.0.0.1", port, path, headers: { host } }, (response) => {
        resolve([response.statusCode ?? 0, response.headers.location]);
        response.resume();
      }).end();
      return promise;
    };
    const path = "/device?user_code=ABCD";
    assert.deepEqual(await asked(`localhost:${port}`, path), [303, world.server.url + path]);
    assert.deepEqual(await asked(`[::1]:${port}`, "/device"), [303, `${world.server.url}/device`]);
    for (const host of [`127.0.0.1:${port}`, "localhost:1", "evil.example", "@", ""]) {
      const [status, location] = await asked(host, path);
      assert.deepEqual([status, location], [200, undefined], host);
    }
  });
});
