import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { fails, ids, json } from "./support/resources.ts";
import { Site } from "./support/site.ts";

const ACCOUNTS = ["iam", "account-associations"];

describe("account associations", () => {
  let site: Site;
  let acme: string;
  before(async () => {
    site = await Site.start();
    acme = await site.make("organizations", "acme");
    await site.make("organizations", "empty");
  });
  after(() => site.stop());

  test("are set provider by provider, and others stay", async () => {
    const set = (...args: string[]) => json(site, ...ACCOUNTS, "set", ...args);
    await set("aws", "acme", "--account", "123456789012");
    await set("gcp", "acme", "--project-id", "acme-prod", "--project-number", "42");
    await set("azure", acme, "--tenant-id", "acme.example", "--client-id", "a=one,b=two");
    await set("github", "acme", "--app-id", "7", "--installation", "8=acme-inc,9");
    await set("github", "acme", "--app-id", "10", "--installation", "11");
    const all = await set("aws", "acme", "--account", "210987654321");
    assert.equal(all.uid, acme);
    assert.deepEqual(all.amazon, { account: "210987654321" });
    assert.deepEqual(all.google, { projectId: "acme-prod", projectNumber: "42" });
    assert.deepEqual(all.azure.clientIds, { a: "one", b: "two" });
    assert.deepEqual(Object.keys(all.github.appInstallations).sort(), ["10", "7"]);
    const table = await site.ok(...ACCOUNTS, "describe", "acme");
    assert.match(table, /^GCP: +acme-prod \(42\)$/m);
    assert.match(table, /app 7: acme-inc, 9/);
    assert.deepEqual(await ids(site, "iam", "accounts", "ls"), [acme]);
    const refused = [...ACCOUNTS, "set", "aws", "acme", "--account", "12"];
    await fails(site, 2, /account/, ...refused);
    await fails(
      site,
      2,
      /--installation must be a number/,
      ...[...ACCOUNTS, "set", "github", "acme", "--app-id", "1", "--installation", "x"],
    );
  });

  test("are checked and unset", async () => {
    const empty = [...ACCOUNTS, "check", "aws"];
    await fails(site, 5, /Not found/, ...empty, "empty");
    await fails(
      site,
      2,
      /PROVIDER must be one of aws, gcp, azure/,
      ...ACCOUNTS,
      "check",
      "x",
      "acme",
    );
    await site.ok(...ACCOUNTS, "unset", "aws", "acme", "-y");
    const checked = await fails(site, 1, /cannot obtain credentials at aws/, ...empty, "acme");
    assert.match(checked.stdout, /^Reason: +NOT_CONFIGURED$/m);
    const left = await json(site, ...ACCOUNTS, "describe", "acme");
    assert.ok(!("amazon" in left) && "google" in left);
    await fails(site, 5, /acme has no aws accounts/, ...ACCOUNTS, "unset", "aws", "acme", "-y");
    await site.ok(...ACCOUNTS, "unset", "all", "acme", "-y");
    await fails(site, 5, /Not found/, ...ACCOUNTS, "describe", "acme");
    await site.ok(...ACCOUNTS, "set", "aws", "acme", "--account", "123456789012");
    // The last one takes the association with it, which would keep the group from being deleted.
    await site.ok(...ACCOUNTS, "unset", "aws", "acme", "-y");
    await site.ok("iam", "organizations", "delete", "acme", "-y");
  });
});
