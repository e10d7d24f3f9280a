import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { after, before, describe, test } from "node:test";
import { promisify } from "node:util";
import { cleanEnvironment, LAUNCHER, wharf } from "./support/command.ts";
import { clientOf, fails, ids, json } from "./support/resources.ts";
import { Site } from "./support/site.ts";
import { wharfAtTerminal } from "./support/terminal.ts";

/** More than a page. */
const MANY = 250;

describe("long lists", () => {
  let site: Site;
  let acme: string;
  before(async () => {
    site = await Site.start();
    acme = await site.make("organizations", "acme");
    const beta = await site.make("organizations", "beta");
    const { identities } = await clientOf(site);
    const make = (parent: string, name: string) =>
      identities.create({
        parent,
        identity: {
          name,
          relationship: {
            case: "claimMatch",
            value: {
              iss: { case: "issuer", value: "https://ci.example.com" },
              sub: { case: "subject", value: name },
            },
          },
        },
      });
    for (let at = 0; at < MANY; at += 50) {
      await Promise.all(Array.from({ length: 50 }, (_, each) => make(acme, `ci ${at + each}`)));
    }
    await make(beta, "ci 7");
  });
  after(() => site.stop());

  test("have every page, in every format", async () => {
    const list = ["iam", "identities", "list", "--parent", "acme"];
    const [uids, data, csv, table, yaml] = await Promise.all([
      ids(site, ...list),
      json(site, ...list),
      site.ok(...list, "-o", "csv"),
      site.ok(...list),
      site.ok(...list, "-o", "yaml"),
    ]);
    assert.equal(new Set(uids).size, MANY);
    assert.equal(data.items.length, MANY);
    assert.equal(csv.split("\r\n").length, MANY + 2);
    assert.equal(table.split("\n").length, MANY + 2);
    assert.equal(yaml.match(/^ {2}- uid: /gm)?.length, MANY);
  });

  test("--sort and --filter cover every page; the server does what it can", async () => {
    const list = ["iam", "identities", "list", "--parent", "acme", "--jq", ".items[].name"];
    const lines = async (...args: string[]) => (await site.ok(...list, ...args)).trim().split("\n");
    // The server orders texts letter by letter, and receives a request for only one page.
    const { stdout, stderr } = await site.run(
      ...[...list, "--sort", "name desc", "--limit", "2", "-v"],
    );
    assert.equal(stdout, "ci 99\nci 98\n");
    // The next page is prefetched, and canceled.
    const asked = stderr.split("\n").filter((line) => /v2beta1\/identities.* → 200/.test(line));
    assert.equal(asked.length, 1, stderr);
    assert.match(asked[0] ?? "", /order_by=name(%20|\+)desc/);
    // The command orders numbers in texts, after the last page.
    assert.deepEqual(await lines("--sort", "subject desc", "--limit", "2"), ["ci 249", "ci 248"]);
    assert.deepEqual(await lines("--filter", "name=ci 7"), ["ci 7"]);
    assert.equal((await lines("--filter", "subject=ci 24*")).length, 11);
    assert.deepEqual(
      await lines("--filter", "group=acme", "--filter", "last-seen=never", "--filter", "name~99"),
      ["ci 199", "ci 99"],
    );
    await fails(
      site,
      2,
      /there is no column or field "subjekt"\n {2}→ did you mean subject/,
      ...["iam", "identities", "list", "--sort", "subjekt"],
    );
  });

  test("--jq is jq: texts are raw, and an invalid expression changes nothing", async () => {
    const jq = (expression: string) => site.ok("iam", "orgs", "list", "--jq", expression);
    assert.equal(await jq('.items | map(.name) | join(",")'), "acme,beta\n");
    assert.equal(await jq(".items[].nothing // empty"), "");
    assert.equal(await jq('try error("x") catch .'), "x\n");
    assert.equal(await jq("{n: .items|length}"), '{"n":2}\n');
    const create = ["iam", "orgs", "create", "gamma", "--jq"];
    await fails(site, 2, /--jq: syntax error.* line 1, column 2/, ...create, ".[");
    await fails(site, 2, /--jq is for -o json/, ...create, ".uid", "-o", "yaml");
    assert.equal((await site.run("iam", "orgs", "describe", "gamma")).code, 5);
    await fails(site, 1, /--jq: Cannot index array/, "iam", "orgs", "list", "--jq", ".items.x");
    const paths = await site.ok("api", "GET", "/iam/v2beta1/roles", "--jq", ".roles | length > 3");
    assert.equal(paths, "true\n");
  });

  test("are paged at a terminal if they are longer than the screen", async () => {
    const list = ["iam", "identities", "list", "--parent", "acme", "-q"];
    const shown = async (args: readonly string[], env: Readonly<Record<string, string>>) => {
      const terminal = wharfAtTerminal(args, { env: { ...site.env, ...env } });
      assert.equal(await terminal.end(), 0);
      return terminal;
    };
    const pager = { PAGER: "false", WHARF_PAGER: "sed 's/^/paged /' | head -2; echo $LESS" };
    const paged = await shown(list, pager);
    assert.match(paged.text, /^paged .*NAME .*\npaged ci 0 .*\nFRX\n$/);
    assert.ok(paged.shown.includes("\u001b[1m"), "in color");
    for (const [args, env] of [
      [[...list, "--limit", "3"], pager],
      [[...list, "--no-pager"], pager],
      [list, { WHARF_PAGER: "" }],
      [list, { WHARF_PAGER: "no-such-pager" }],
    ] as const) {
      const { text } = await shown(args, env);
      assert.doesNotMatch(text, /paged/);
      assert.match(text, /^ci 1 /m);
    }
    const piped = await wharf(list, { env: { ...site.env, ...pager } });
    assert.doesNotMatch(piped.stdout, /paged/);
  });

  test("find resources by how their name begins", async () => {
    const begin = async (...args: string[]) => (await ids(site, "iam", ...args)).length;
    assert.equal(
      await begin("identities", "list", "--parent", "acme", "--name-prefix", "ci 24"),
      11,
    );
    assert.equal(await begin("organizations", "list", "--name-prefix", "ac"), 1);
    assert.equal(await begin("folders", "list", "acme", "--name-prefix", "x"), 0);
  });

  test("end silently when the pipe closes", async () => {
    const line = `'${process.execPath}' '${LAUNCHER}' iam identities list -o id | head -n 1`;
    const { stdout, stderr } = await promisify(execFile)("bash", ["-o", "pipefail", "-c", line], {
      env: cleanEnvironment(site.env),
    });
    assert.match(stdout, /^[0-9a-f/]+\n$/);
    assert.equal(stderr, "");
  });

  test("names with spaces are resolved; ambiguous names list both candidates", async () => {
    const both = await fails(
      site,
      2,
      /2 identities are named "ci 7"/,
      ...["iam", "identities", "describe", "ci 7"],
    );
    assert.match(both.stderr, /^ {4}[0-9a-f/]+ {2}acme\/ci 7$/m);
    assert.match(both.stderr, /^ {4}[0-9a-f/]+ {2}beta\/ci 7$/m);
    const [uid] = await ids(site, "iam", "identities", "describe", "acme/ci 7");
    assert.ok(uid?.startsWith(`${acme}/`));
    const error = await site.run("iam", "identities", "describe", "ci 7", "-o", "json");
    assert.equal(JSON.parse(error.stderr).error.exitCode, 2);
  });

  test("pickers at a terminal can be searched", async () => {
    const args = ["iam", "identities", "describe", "-q", "-o", "yaml"];
    const terminal = wharfAtTerminal(args, { env: site.env });
    await terminal.until(/IDENTITY: Name/);
    terminal.type("ci 223");
    await terminal.until(/ci 223/);
    terminal.type("\r");
    assert.equal(await terminal.end(), 0);
    assert.match(terminal.text, /^name: ci 223$/m);
  });

  test("names are completed, and uids where a name is not enough", async () => {
    const env = { ...site.env, WHARF_COMPLETION_SECONDS: "60" };
    const complete = async (...words: string[]) =>
      (await wharf(["__complete", "--", ...words], { env })).stdout.split("\n");
    const identities = await complete("iam", "identities", "describe", "ci 22");
    assert.deepEqual(identities.slice(0, 2), ["ci 22", "ci 220"]);
    const roles = await complete("iam", "identities", "create", "x", "--role", "registry.pu");
    assert.ok(roles.includes("registry.push"));
    const capabilities = await complete("access", "list", "--capability", "repo.blobs");
    assert.deepEqual(capabilities, ["repo.blobs.get", ""]);
  });
});
