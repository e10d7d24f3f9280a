import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { wharf } from "./support/command.ts";
import { Site } from "./support/site.ts";

describe("organizations and folders", () => {
  let site: Site;
  let acme: string;
  let beta: string;
  before(async () => {
    site = await Site.start();
    acme = await site.make("organizations", "acme", "--description", "Everything of ours");
    beta = await site.make("organizations", "beta");
  });
  after(() => site.stop());

  test("are listed as table, json, csv, id and by jq", async () => {
    const table = await site.ok("iam", "organizations", "list");
    assert.equal(table, "NAME  DESCRIPTION\nacme  Everything of ours\nbeta\n");
    const wide = await site.ok("iam", "organizations", "list", "-o", "wide");
    assert.match(wide, new RegExp(`^acme  ${acme}  Everything of ours `, "m"));
    assert.equal(await site.ok("iam", "orgs", "list", "--limit", "1", "-o", "id"), `${acme}\n`);
    const { items } = JSON.parse(await site.ok("iam", "org", "ls", "-o", "json"));
    assert.deepEqual(items.map(({ uid }: { uid: string }) => uid).sort(), [acme, beta].sort());
    assert.equal(await site.ok("-o", "id", "iam", "orgs", "list"), `${acme}\n${beta}\n`);
    const csv = await site.ok("iam", "orgs", "list", "-o", "csv");
    assert.match(csv, new RegExp(`^acme,${acme},Everything of ours,no,2`, "m"));
    const expression = '.items[] | "\\(.name)=\\(.uid)"';
    const shown = await site.ok("iam", "orgs", "list", "--jq", expression);
    assert.equal(shown, `acme=${acme}\nbeta=${beta}\n`);
  });

  test("are created, described, updated and deleted", async () => {
    const uid = await site.make("organizations", "short-lived");
    assert.match(
      await site.ok("iam", "orgs", "describe", "short-lived"),
      new RegExp(`UID: +${uid}`),
    );
    const updated = await site.ok("iam", "orgs", "update", uid, "--name", "longer", "-o", "json");
    assert.equal(JSON.parse(updated).name, "longer");
    const { code, stdout, stderr } = await site.run("iam", "orgs", "delete", "longer", "-y");
    assert.deepEqual([code, stdout, stderr], [0, "", "wharf: deleted organization longer\n"]);
    const gone = await site.run("iam", "orgs", "describe", "longer");
    assert.equal(gone.code, 5);
    assert.match(gone.stderr, /no organization is named "longer"/);
  });

  test("have quotas, set one at a time by the operator", async () => {
    const uid = await site.make("organizations", "limited");
    const limit = async (...limits: string[]) => {
      const given = limits.flatMap((one) => ["--limit", one]);
      const shown = await site.ok("iam", "orgs", "update", uid, ...given, "-o", "json");
      return JSON.parse(shown).resourceLimits;
    };
    assert.deepEqual(await limit("repositories=10", "idps=1"), { repositories: 10, idps: 1 });
    const shown = await site.ok("iam", "orgs", "describe", uid);
    assert.match(shown, /^Limits: +(idps=1, repositories=10|repositories=10, idps=1)$/m);
    assert.deepEqual(await limit("repositories=20"), { repositories: 20, idps: 1 });
    assert.deepEqual(await limit("repositories="), { idps: 1 });
    assert.deepEqual(await limit("idps="), {});
    for (const wrong of ["repositories", "repositories=-1", "repositories=many", "repos=1"]) {
      const { code } = await site.run("iam", "orgs", "update", uid, "--limit", wrong);
      assert.equal(code, 2, wrong);
    }
    await site.ok("iam", "orgs", "delete", uid, "-y");
  });

  test("are verified by the operator", async () => {
    const uid = await site.make("organizations", "vouched.example");
    for (const [given, verified] of [
      ["yes", true],
      ["no", false],
    ] as const) {
      const words = ["iam", "orgs", "update", uid, "--verified", given, "-o", "json"];
      assert.equal(JSON.parse(await site.ok(...words)).verified, verified);
    }
    const wrong = await site.run("iam", "orgs", "update", uid, "--verified", "maybe");
    assert.equal(wrong.code, 2);
    await site.ok("iam", "orgs", "delete", uid, "-y");
  });

  test("folders are resolved by name, path and UID; ambiguous names are rejected with candidates", async () => {
    const inAcme = await site.make("folders", "platform", "--parent", "acme");
    const lines = ["--description", "two\nlines"];
    const inBeta = await site.make("folders", "platform", "--parent", beta, ...lines);
    const inner = await site.make("folders", "inner", "--parent", "acme/platform");
    assert.ok(inAcme.startsWith(`${acme}/`) && inner.startsWith(`${inAcme}/`));
    const both = await site.run("iam", "folders", "describe", "platform");
    assert.equal(both.code, 2);
    assert.match(both.stderr, /2 folders are named "platform"/);
    assert.match(both.stderr, new RegExp(`${inAcme}  acme/platform`));
    assert.match(both.stderr, new RegExp(`${inBeta}  beta/platform  two⏎lines\n`));
    assert.match(await site.ok("iam", "folders", "describe", inBeta), /^Description: +two⏎lines$/m);
    assert.equal((await site.ok("iam", "folders", "get", "inner", "-o", "id")).trim(), inner);
    assert.equal(
      await site.ok("iam", "folders", "list", "acme", "-o", "tree"),
      "platform\n└── inner\n",
    );
    const direct = await site.ok("iam", "folders", "list", "acme", "--no-recursive", "-o", "id");
    assert.equal(direct.trim(), inAcme);
    const wrong = await site.run("iam", "orgs", "describe", inAcme);
    assert.equal(wrong.code, 2);
    assert.match(wrong.stderr, /platform is a folder\n {2}→ use `wharf iam folders`/);
  });

  test("a rejected request names the field, and nothing is created", async () => {
    const { code, stdout, stderr } = await site.run("iam", "orgs", "create", "Not OK");
    assert.deepEqual([code, stdout], [2, ""]);
    assert.match(stderr, /^wharf: Invalid argument\n {2}name: name must match "\^\[a-z0-9/);
    const list = await site.ok("iam", "orgs", "list", "-o", "json");
    assert.equal(JSON.parse(list).items.length, 2);
  });

  test("a group that is not empty is not deleted: exit code 6", async () => {
    await site.make("folders", "kept", "--parent", "beta");
    const { code, stderr } = await site.run("iam", "orgs", "delete", "beta", "--yes");
    assert.equal(code, 6);
    assert.match(stderr, /cannot delete group with child groups/);
    assert.equal(JSON.parse(await site.ok("iam", "orgs", "get", "beta", "-o", "json")).uid, beta);
  });

  test("without a terminal, delete requires -y before anything else", async () => {
    const { code, stderr } = await site.run("iam", "orgs", "delete", "beta");
    assert.equal(code, 2);
    assert.match(stderr, /cannot be undone.*\n {2}→ -y skips the confirmation/);
  });

  test("without a token, or with an invalid one: exit code 3 and how to sign in", async () => {
    for (const [token, hint] of [
      ["", /→ sign in with `wharf auth login`/],
      ["nonsense", /→ WHARF_TOKEN is set: .* unset it and sign in with `wharf auth login`/],
    ] as const) {
      const env = { ...site.env, WHARF_TOKEN: token };
      const { code, stderr } = await wharf(["iam", "orgs", "list"], { env });
      assert.equal(code, 3);
      assert.match(stderr, hint);
    }
  });

  test("--verbose shows requests on stderr, and never the token", async () => {
    const { stdout, stderr } = await site.run("iam", "orgs", "list", "-o", "id", "--verbose");
    assert.equal(stdout, `${acme}\n${beta}\n`);
    assert.match(stderr, /GET http:\S+\/iam\/v2beta1\/groups\S* → 200 in \d+ ms/);
    assert.match(stderr, /Bearer \*\*\*\*/);
    assert.ok(!stderr.includes((site.env.WHARF_TOKEN as string).slice(0, 20)));
  });

  test("settings of an organization reject twins", async () => {
    const settings = ["iam", "orgs", "settings", "beta"];
    assert.equal(await site.ok(...settings), "Unique siblings:  no\n");
    const tried = await site.ok(...settings, "--unique-siblings", "yes", "--dry-run", "-q");
    assert.equal(tried, "Unique siblings:  yes\n");
    assert.equal(await site.ok(...settings), "Unique siblings:  no\n");
    const changed = await site.ok(...settings, "--unique-siblings", "yes", "-q", "-o", "json");
    assert.equal(JSON.parse(changed).uniqueSiblings, true);
    const create = ["iam", "folders", "create", "only", "--parent", "beta", "-y", "-q"];
    await site.ok(...create);
    const { code, stderr } = await site.run(...create);
    assert.equal(code, 6, stderr);
    await site.ok(...settings, "--unique-siblings", "no", "-q");
    await site.ok(...create);
  });
});
