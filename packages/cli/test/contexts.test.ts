import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { after, afterEach, before, beforeEach, describe, test } from "node:test";
import { decodeJwt } from "jose";
import { Home } from "./support/auth-home.ts";
import { REGISTRY, RegistryWorkload, SUBJECT } from "./support/registry-workload.ts";

describe("contexts", () => {
  let workload: RegistryWorkload;
  let home: Home;
  before(async () => {
    workload = await RegistryWorkload.start();
  });
  after(() => workload.stop());
  beforeEach(() => {
    home = new Home();
  });
  afterEach(() => home.remove());

  const file = (name: string) => join(home.folder, "config/wharf", name);

  /** Adds a context for the server, and signs in there. */
  async function addSignedIn(name: string): Promise<void> {
    await home.ok(["context", "add", name, workload.server.url]);
    await home.ok(["config", "set", "platform.registry", REGISTRY, "--context", name]);
    const token = home.write("token", await workload.issuer.sign({ sub: SUBJECT }));
    const login = ["auth", "login", "--identity", workload.identity, "--identity-token", token];
    await home.ok([...login, "--context", name]);
  }

  test("have settings and logins of their own; the config file is `default`", async () => {
    await home.ok(["config", "set", "platform.api", "http://127.0.0.1:9"]);
    await addSignedIn("prod");
    assert.equal(statSync(file("contexts/prod.yaml")).mode & 0o777, 0o600);
    assert.ok(home.loginFile.startsWith(join(home.cache, "wharf/contexts/prod/")), home.loginFile);
    assert.equal(statSync(home.loginFile).mode & 0o777, 0o600);

    assert.equal((await home.run(["auth", "token"])).code, 3);
    const token = (await home.ok(["auth", "token", "--context", "prod"])).trim();
    assert.equal(decodeJwt(token).sub, workload.identity);
    const orgs = ["iam", "orgs", "list", "--limit", "1"];
    assert.match(await home.ok(orgs, { env: { WHARF_CONTEXT: "prod" } }), /NAME|^$/);

    const rows = async () => JSON.parse(await home.ok(["context", "list", "-o", "json"])).items;
    assert.deepEqual(
      (await rows()).map(({ name, current, api, login }: Record<string, unknown>) => [
        ...[name, current, api, login],
      ]),
      [
        ["default", true, "http://127.0.0.1:9", ""],
        ["prod", false, workload.server.url, workload.identity],
      ],
    );
    await home.ok(["context", "use", "prod"]);
    assert.equal((await home.ok(["auth", "token"])).trim(), token);
    const status = JSON.parse(await home.ok(["auth", "status", "--quick", "-o", "json"]));
    assert.deepEqual(
      status.items.map((row: Record<string, unknown>) => [row.context, row.current]),
      [["prod", true]],
    );
    const shown = JSON.parse(await home.ok(["context", "show", "-o", "json"]));
    assert.deepEqual([shown.name, shown.registry], ["prod", REGISTRY]);
    // The config file stays what it is.
    assert.equal(
      readFileSync(file("config.yaml"), "utf8"),
      "platform:\n  api: http://127.0.0.1:9\n",
    );
  });

  test("docker gets the token of the context whose server has the registry", async () => {
    await home.ok(["config", "set", "platform.api", "http://127.0.0.1:9"]);
    assert.equal((await home.helper("get", REGISTRY)).code, 1);
    await addSignedIn("prod");
    // A token for the server in use is not for another one.
    for (const env of [{}, { WHARF_TOKEN: "of.another.server", WHARF_API: "http://127.0.0.1:9" }]) {
      const { code, stdout } = await home.helper("get", REGISTRY, { env });
      assert.equal(code, 0, stdout);
      const { Username, Secret } = JSON.parse(stdout);
      await workload.pulls(Username, Secret);
    }
    assert.deepEqual(JSON.parse((await home.helper("list")).stdout), { [REGISTRY]: "_token" });
    await home.helper("erase", REGISTRY);
    assert.ok(!(REGISTRY in home.login.tokens));
    // A context that is named is the only one.
    const named = await home.helper("get", REGISTRY, { env: { WHARF_CONTEXT: "default" } });
    assert.match(named.stdout, /credentials not found/);
  });

  test("are removed with their logins; the one in use becomes `default`", async () => {
    await addSignedIn("prod");
    await home.ok(["context", "use", "prod"]);
    const asked = await home.run(["context", "remove", "prod"]);
    assert.equal(asked.code, 2);
    assert.match(asked.stderr, /no terminal .*\n.*-y skips the confirmation/);
    const { code, stderr } = await home.run(["context", "remove", "prod", "-y"]);
    assert.equal(code, 0, stderr);
    assert.match(stderr, /removed the context prod; commands use default/);
    assert.deepEqual(
      home.files().filter((path) => path.endsWith(".json")),
      [],
    );
    assert.ok(!existsSync(file("contexts/prod.yaml")));
    const again = await home.run(["context", "remove", "prod", "-y"]);
    assert.equal(again.code, 5);
    assert.match(again.stderr, /no context is named "prod"/);
    assert.equal((await home.run(["context", "remove", "default", "-y"])).code, 2);
  });

  test("that do not exist are never replaced by another server", async () => {
    await home.ok(["context", "add", "staging", "https://wharf.example.com", "--use"]);
    const typo = await home.run(["iam", "orgs", "list", "--context", "stagign"]);
    assert.equal(typo.code, 5);
    assert.match(typo.stderr, /no context is named "stagign"\n {2}→ did you mean staging\?/);
    home.write("config/wharf/contexts/current", "gone\n");
    const gone = await home.run(["auth", "token"]);
    assert.equal(gone.code, 5);
    assert.match(gone.stderr, /no context is named "gone"/);
    await home.ok(["context", "use", "default"]);
    for (const [args, env, expected] of [
      [["--context", "../config"], {}, /--context must have up to 63 lowercase letters/],
      [["--context", "staging", "--config", "x"], {}, /--config and --context are mutually/],
      [
        ["--context", "staging"],
        { WHARF_API: "https://other.example" },
        /chooses staging at https:\/\/wharf.example.com, but WHARF_API is/,
      ],
      [
        [],
        { WHARF_CONTEXT: "staging", WHARF_ISSUER: "https://other.example" },
        /but WHARF_ISSUER is https:\/\/other.example\n {2}→ unset WHARF_ISSUER/,
      ],
    ] as const) {
      const rejected = await home.run(["auth", "token", ...args], { env });
      assert.equal(rejected.code, 2, rejected.stderr);
      assert.match(rejected.stderr, expected);
    }
    const twin = await home.run(["context", "add", "staging", "https://other.example"]);
    assert.equal(twin.code, 6);
    assert.match(readFileSync(file("contexts/staging.yaml"), "utf8"), /wharf\.example\.com/);
  });

  test("commands at once lose nothing of each other", async () => {
    const settings = ["default.group", "default.org-name", "platform.registry"];
    const names = ["a", "b"];
    const all = [
      ...settings.map((key) => ["config", "set", key, "x.example"]),
      ...names.map((name) => ["context", "add", name, `https://${name}.example`]),
    ];
    const ended = await Promise.all(all.map((words) => home.startProcess(words).ended));
    assert.deepEqual(
      ended.map(({ code, stderr }) => (code === 0 ? "" : stderr)),
      all.map(() => ""),
    );
    const view = ["config", "view", "--diff", "-o", "id"];
    assert.deepEqual((await home.ok(view)).trim().split("\n").sort(), [...settings].sort());
    assert.deepEqual(
      readdirSync(file("contexts")).filter((name) => name.endsWith(".yaml")),
      names.map((name) => `${name}.yaml`),
    );
  });
});
