import assert from "node:assert/strict";
import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { scratchFolder } from "../../server/test/support/server/scratch-folder.ts";
import { wharf } from "./support/command.ts";
import { Site } from "./support/site.ts";

describe("the config file", () => {
  let site: Site;
  before(async () => {
    site = await Site.start();
  });
  after(() => site.stop());

  const home = () => {
    const env = { XDG_CONFIG_HOME: scratchFolder("wharf-config-") };
    const file = join(env.XDG_CONFIG_HOME, "wharf", "config.yaml");
    return { env, file, run: (...args: string[]) => wharf(["config", ...args], { env }) };
  };

  test("is written with mode 0600, viewed with sources, and unset", async () => {
    const { env, file, run } = home();
    assert.equal((await run("set", "default.group", "acme")).code, 0);
    assert.equal((await run("set", "platform.api", site.server.url)).code, 0);
    assert.equal(statSync(file).mode & 0o777, 0o600);
    assert.equal(
      readFileSync(file, "utf8"),
      `platform:\n  api: ${site.server.url}\ndefault:\n  group: acme\n`,
    );
    const seen = await wharf(["config", "view", "--diff", "-o", "json"], {
      env: { ...env, WHARF_AUDIENCE: "somebody" },
    });
    assert.deepEqual(JSON.parse(seen.stdout).items, [
      { key: "platform.api", value: site.server.url, from: file },
      { key: "platform.audience", value: "somebody", from: "WHARF_AUDIENCE" },
      { key: "default.group", value: "acme", from: file },
    ]);
    assert.equal((await run("unset", "default.group")).code, 0);
    assert.equal(readFileSync(file, "utf8"), `platform:\n  api: ${site.server.url}\n`);
  });

  test("applies after flags and variables", async () => {
    const { env, run } = home();
    const token = { WHARF_TOKEN: site.env.WHARF_TOKEN as string };
    await run("set", "platform.api", site.server.url);
    await run("set", "default.output", "id");
    const made = await wharf(["iam", "orgs", "create", "acme"], { env: { ...env, ...token } });
    assert.match(made.stdout, /^[0-9a-f]{40}\n$/);
    await run("set", "default.group", "acme");
    const folder = await wharf(["iam", "folders", "create", "inner", "-o", "json"], {
      env: { ...env, ...token },
    });
    assert.ok(JSON.parse(folder.stdout).uid.startsWith(`${made.stdout.trim()}/`));
    const nowhere = { ...env, ...token, WHARF_API: "http://127.0.0.1:9" };
    assert.equal((await wharf(["iam", "orgs", "list"], { env: nowhere })).code, 7);
    const flag = await wharf(["iam", "orgs", "list", "--api", site.server.url], { env: nowhere });
    assert.equal(flag.stdout, made.stdout);
  });

  test("rejects unknown keys and invalid values without changing the file", async () => {
    const { file, run } = home();
    const key = await run("set", "platform.apo", "https://x");
    assert.equal(key.code, 2);
    assert.match(key.stderr, /unknown key platform.apo\n {2}→ did you mean platform.api/);
    const value = await run("set", "auth.mode", "telepathy");
    assert.match(value.stderr, /auth.mode must be one of browser, headless/);
    assert.throws(() => statSync(file));
    await run("set", "auth.mode", "headless");
    writeFileSync(file, "auth:\n  mood: sunny\n");
    const { code, stderr } = await run("view");
    assert.equal(code, 2);
    assert.match(stderr, /config.yaml: unknown key auth.mood/);
    const validated = await run("validate");
    assert.equal(validated.code, 1);
    assert.match(validated.stdout, /^✗ config file: .*unknown key auth.mood\n {4}→ fix the file/);
  });

  test("validate checks every step up to a running server", async () => {
    const { env } = home();
    const all = await wharf(["config", "validate", "--api", site.server.url], { env });
    assert.equal(all.code, 0, all.stdout + all.stderr);
    const marks = all.stdout
      .split("\n")
      .filter(Boolean)
      .map((line) => line.split(":")[0]);
    assert.deepEqual(marks, [
      "✓ config file",
      "✓ DNS",
      "✓ connection",
      "✓ TLS",
      "✓ HTTP",
      "✓ issuer",
      "✓ clock",
    ]);
  });

  test("validate reports the failed step, and what to do", async () => {
    const { env } = home();
    const validate = (...args: string[]) =>
      wharf(["config", "validate", "-o", "json", ...args], { env });
    const results = (stdout: string) =>
      Object.fromEntries(
        JSON.parse(stdout).items.map((each: { check: string }) => [each.check, each]),
      );
    const closed = await validate("--api", "http://127.0.0.1:9");
    assert.equal(closed.code, 1);
    const found = results(closed.stdout);
    assert.equal(found.connection.result, "failed");
    assert.match(found.connection.next, /check the port/);
    assert.equal(found.HTTP.result, "skipped");
    const unknown = results((await validate("--api", "http://no-such-host.invalid")).stdout);
    assert.equal(unknown.DNS.result, "failed");
    const plain = results(
      (await validate("--api", site.server.url.replace("http:", "https:"))).stdout,
    );
    assert.equal(plain.TLS.result, "failed");
    const args = ["--api", site.server.url, "--issuer", `${site.server.url}/elsewhere`];
    const issuer = results((await validate(...args)).stdout);
    assert.equal(issuer.issuer.result, "failed");
    assert.match(issuer.issuer.next, /--auth-url/);
    assert.equal(issuer.clock.result, "passed");
  });
});
