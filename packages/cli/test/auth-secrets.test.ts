import assert from "node:assert/strict";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { createServer, type Server, request as send } from "node:http";
import { after, before, describe, test } from "node:test";
import { HttpBrowser } from "../../server/test/support/browser/http-browser.ts";
import { JWT_START } from "../../server/test/support/client/tokens.ts";
import { freePort } from "../../server/test/support/server/free-port.ts";
import { World } from "../../server/test/support/world/world.ts";
import { Home } from "./support/auth-home.ts";

describe("secrets of a sign-in", () => {
  let world: World;
  let proxy: Server;
  let home: Home;
  /** Every path of a received request. */
  const addresses: string[] = [];
  before(async () => {
    const [front, back] = [await freePort(), await freePort()];
    proxy = createServer((incoming, outgoing) => {
      addresses.push(incoming.url ?? "");
      const { method = "GET", headers, url: path } = incoming;
      const onward = send({ port: back, host: "127.0.0.1", method, headers, path }, (answer) => {
        outgoing.writeHead(answer.statusCode ?? 500, answer.headers);
        answer.pipe(outgoing);
      });
      incoming.pipe(onward);
    }).listen(front, "127.0.0.1");
    await once(proxy, "listening");
    const url = `http://127.0.0.1:${front}`;
    world = await World.start({
      login: true,
      flags: ["--listen", `127.0.0.1:${back}`, "--base-url", url],
    });
    home = new Home({ WHARF_API: url });
  });
  after(async () => {
    home.remove();
    await world.stop();
    proxy.closeAllConnections();
    proxy.close();
  });

  test("are in no command line, URL or log, also with --verbose", async () => {
    const provider = ["--identity-provider", world.login.provider];
    const login = home.start(["auth", "login", "-v", ...provider]);
    const commandLine = await home.browsed(login);
    await world.login.signIn(new HttpBrowser(), commandLine, "ada");
    const said = [(await login.ended).stderr];
    const secrets = new Set<string>();
    const note = () => {
      const { renewal, tokens } = home.login;
      if (renewal.kind === "refresh") secrets.add(renewal.token);
      for (const { token } of Object.values(tokens)) secrets.add(token);
    };
    note();
    home.expire();
    const host = new URL(home.login.api).host;
    for (const args of [
      ["iam", "organizations", "list"],
      ["auth", "token", "--audience", host],
      ["auth", "token", "--capabilities", "groups.list"],
      ["auth", "status"],
      ["auth", "status", "--issuer", "http://127.0.0.1:1"],
      ["auth", "logout"],
    ]) {
      const { stderr } = await home.run([...args, "-v"]);
      said.push(stderr);
      if (existsSync(home.cache) && args[1] !== "logout") note();
    }
    assert.ok(secrets.size >= 5, "tokens and refresh tokens of several turns");
    assert.match(said.join(""), /POST \S+\/oauth\/token → 200/);
    assert.match(said.join(""), /Authorization: Bearer \*\*\*\*/);
    const asked = addresses.map(decodeURIComponent).join("\n");
    assert.match(asked, /\/sts\/exchange_refresh_token/);
    assert.match(asked, /\/auth\/v1\/logout/);
    const seen = [commandLine, asked, world.server.log, ...said].join("\n");
    for (const secret of secrets) assert.ok(!seen.includes(secret), "a secret was seen");
    assert.doesNotMatch(seen, JWT_START, "nothing that looks like a token");
  });
});
