import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { once } from "node:events";
import { createServer as createHttpServer } from "node:http";
import { type AddressInfo, connect, createServer } from "node:net";
import { after, before, describe, test } from "node:test";
import { promisify } from "node:util";
import { cleanEnvironment, LAUNCHER, wharf } from "./support/command.ts";
import { Site } from "./support/site.ts";
import { wharfAtTerminal } from "./support/terminal.ts";

const COLOR = "\u001b[1m";

describe("at a terminal", () => {
  let site: Site;
  before(async () => {
    site = await Site.start();
    await site.make("organizations", "acme", "--description", "日本語の説明 and more of it");
    await site.make("organizations", "beta");
  });
  after(() => site.stop());

  test("tables fit the terminal; color is off with NO_COLOR, TERM=dumb and --color=never", async () => {
    for (const [columns, isColored, more, env] of [
      [30, true, [], {}],
      [47, false, [], { NO_COLOR: "1" }],
      [80, false, [], { TERM: "dumb" }],
      [30, false, ["--color=never"], {}],
      [47, false, ["--no-color"], {}],
    ] as const) {
      // Without the spinner of a slow machine, which is no part of the table.
      const args = ["iam", "orgs", "list", "-q", ...more];
      const terminal = wharfAtTerminal(args, { env: { ...site.env, ...env }, columns });
      assert.equal(await terminal.end(), 0);
      assert.match(terminal.text, /acme/);
      if (isColored) assert.ok(terminal.shown.includes(COLOR));
      else assert.ok(!terminal.shown.includes("\u001b["), JSON.stringify(terminal.shown));
      for (const line of terminal.text.split("\n")) {
        const wide = [...line].filter((letter) => letter > "\u2e80").length;
        assert.ok([...line].length + wide <= columns, `${columns}: ${line}`);
      }
    }
  });

  test("--color=always colors what is not a terminal, too", async () => {
    const piped = await wharf(["iam", "orgs", "list", "--color", "always"], { env: site.env });
    assert.ok(piped.stdout.startsWith(COLOR));
    const plain = await wharf(["iam", "orgs", "list"], { env: site.env });
    assert.ok(!plain.stdout.includes("\u001b["));
  });

  test("a missing name is picked from a list", async () => {
    const terminal = wharfAtTerminal(["iam", "orgs", "describe", "-q", "-o", "id"], {
      env: site.env,
    });
    await terminal.until(/ORGANIZATION: Name or UID[\s\S]*acme[\s\S]*beta/);
    terminal.type("\u001b[B\r");
    assert.equal(await terminal.end(), 0);
    assert.match(terminal.text, /^[0-9a-f]{40}$/m);
  });

  test("Ctrl-C at a question ends with 130", async () => {
    const terminal = wharfAtTerminal(["iam", "orgs", "describe"], { env: site.env });
    await terminal.until(/ORGANIZATION/);
    terminal.type("\u0003");
    assert.equal(await terminal.end(), 130);
    assert.match(terminal.text, /wharf: interrupted/);
  });

  test("delete asks for confirmation, and anything but yes cancels", async () => {
    const uid = await site.make("organizations", "doomed");
    const refused = wharfAtTerminal(["iam", "orgs", "delete", "doomed"], { env: site.env });
    await refused.until(/Delete organization doomed/);
    refused.type("n");
    assert.equal(await refused.end(), 1);
    assert.match(refused.text, /wharf: canceled/);
    assert.equal((await site.ok("iam", "orgs", "get", "doomed", "-o", "id")).trim(), uid);
    const agreed = wharfAtTerminal(["iam", "orgs", "delete", "doomed"], { env: site.env });
    await agreed.until(/Delete organization doomed/);
    agreed.type("y");
    assert.equal(await agreed.end(), 0);
    assert.equal((await site.run("iam", "orgs", "get", "doomed")).code, 5);
  });

  test("work that takes more than a second shows a spinner, which is erased", async () => {
    const slow = await slowed(site.server.url, 2_000);
    const env = { ...site.env, WHARF_API: slow.url };
    const terminal = wharfAtTerminal(["iam", "orgs", "list", "-o", "id"], { env });
    assert.equal(await terminal.end(), 0);
    assert.match(terminal.text, /⠋|⠙|⠹|⠸/);
    assert.match(terminal.text, /listing organizations/);
    const { stderr } = await wharf(["iam", "orgs", "list", "-o", "id"], { env });
    assert.equal(stderr, "");
    const stopped = wharfAtTerminal(["iam", "orgs", "list"], { env });
    await stopped.until(/listing organizations/);
    stopped.type("\u0003");
    assert.equal(await stopped.end(), 130);
    assert.doesNotMatch(stopped.text, /acme/);
    slow.close();
  });

  test("control characters of the server are escaped", async () => {
    // Ours rejects them: another server may not.
    const sly = { uid: "a".repeat(40), name: "sly", description: "a\u001b]0;owned\u0007b" };
    const other = createHttpServer((_request, response) => {
      response.setHeader("content-type", "application/json");
      response.end(JSON.stringify({ groups: [sly], totalCount: 1 }));
    }).listen(0, "127.0.0.1");
    await once(other, "listening");
    const url = `http://127.0.0.1:${(other.address() as AddressInfo).port}`;
    const env = { ...site.env, WHARF_API: url };
    const terminal = wharfAtTerminal(["iam", "orgs", "list"], { env, columns: 120 });
    assert.equal(await terminal.end(), 0, terminal.text);
    other.close();
    assert.ok(terminal.text.includes("a\\x1b]0;owned\\x07b"), JSON.stringify(terminal.text));
  });

  test("a closed pipe ends the command silently", async () => {
    // More than a pipe holds, so that we are still writing when the reader leaves.
    const expression = '.items[].name + "x" * 100000';
    const line = `'${process.execPath}' '${LAUNCHER}' iam orgs list --jq "$0" | head -c 4; echo " \${PIPESTATUS[*]}"`;
    const shell = { env: cleanEnvironment(site.env) };
    const ended = await promisify(execFile)("bash", ["-c", line, expression], shell);
    assert.deepEqual(ended, { stdout: "acme 0 0\n", stderr: "" });
  });
});

/** The same server, with each answer delayed. */
async function slowed(url: string, ms: number): Promise<{ url: string; close(): void }> {
  const { hostname, port } = new URL(url);
  const proxy = createServer((client) => {
    const server = connect(Number(port), hostname);
    client.pipe(server);
    server.on("data", (chunk) => setTimeout(() => client.write(chunk), ms));
    for (const side of [client, server]) side.on("error", () => side.destroy());
    client.on("close", () => server.destroy());
  });
  await once(proxy.listen(0, "127.0.0.1"), "listening");
  const own = (proxy.address() as AddressInfo).port;
  return { url: `http://127.0.0.1:${own}`, close: () => void proxy.close() };
}
