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
