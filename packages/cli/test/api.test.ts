import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { Site } from "./support/site.ts";

const GROUPS = "/iam/v2beta1/groups";

describe("wharf api", () => {
  let site: Site;
  let acme: string;
  before(async () => {
    site = await Site.start();
    acme = await site.make("organizations", "acme");
    await site.make("organizations", "beta");
  });
  after(() => site.stop());

  test("sends fields as query or body, and prints the response", async () => {
    const page = JSON.parse(await site.ok("api", "get", GROUPS, "--field", "page_size=1"));
    assert.equal(page.groups.length, 1);
    const path = `${GROUPS}/${acme}`;
    const made = JSON.parse(await site.ok("api", "POST", path, "--field", "name=platform"));
    assert.equal(made.name, "platform");
    const changed = await site.ok("api", "PATCH", `${GROUPS}/${made.uid}`, "--field", "name=infra");
    assert.equal(JSON.parse(changed).name, "infra");
    assert.equal(await site.ok("api", "DELETE", `${GROUPS}/${made.uid}`), "{}\n");
  });

  test("joins the pages of a list", async () => {
    const args = ["api", "GET", `${GROUPS}?page_size=1`, "--paginate"];
    const whole = JSON.parse(await site.ok(...args));
    assert.equal(whole.groups.length, Number(whole.totalCount));
    assert.equal(whole.nextPageToken, undefined);
    assert.equal(await site.ok(...args, "--jq", ".groups | length"), "2\n");
  });

  test("keeps the token for the server of the settings", async () => {
    for (const path of ["//evil.example/x", "https://evil.example/x", "iam"]) {
      const { code, stderr } = await site.run("api", "GET", path);
      assert.equal(code, 2);
      assert.match(stderr, /PATH must begin with one slash/);
    }
  });

  test("reports errors as other commands do", async () => {
    const { code, stderr } = await site.run("api", "GET", `${GROUPS}/${"0".repeat(40)}`);
    assert.equal(code, 5);
    assert.match(stderr, /Not found/);
    assert.equal((await site.run("api", "FETCH", GROUPS)).code, 2);
    const both = await site.run("api", "GET", GROUPS, "--input", "-");
    assert.equal(both.code, 2);
  });
});

test("a plain port that is called with https says so", async () => {
  const site = await Site.start();
  try {
    const api = site.env.WHARF_API?.replace("http://", "https://") ?? "";
    const { code, stderr } = await site.run("iam", "orgs", "list", "--api", api);
    assert.equal(code, 7);
    assert.match(stderr, /the port speaks plain HTTP: use http:\/\/ in the API URL/);
    const missing = await site.run("iam", "orgs", "list", "--ca-cert", "/nowhere.pem");
    assert.equal(missing.code, 2);
    assert.match(missing.stderr, /--ca-cert: \/nowhere\.pem cannot be read/);
  } finally {
    await site.stop();
  }
});
