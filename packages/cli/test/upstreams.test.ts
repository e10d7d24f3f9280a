import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { fails, fileWith, ids, json } from "./support/resources.ts";
import { Site } from "./support/site.ts";

/** A port of this machine that nothing listens on. */
const URL = "http://127.0.0.1:9";

describe("upstreams", () => {
  let site: Site;
  let hub: string;
  before(async () => {
    site = await Site.start();
    hub = await site.make("organizations", "hub");
  });
  after(() => site.stop());

  test("are created, listed, described and updated", async () => {
    const password = fileWith("secret\n");
    const created = await json(
      site,
      ...["upstreams", "create", "hub", "--url", URL, "--username", "acme"],
      ...["--password", password, "--repositories", "library/*", "--revalidate", "1h"],
    );
    assert.deepEqual(
      [created.uid, created.mode, created.hasPassword, created.revalidateSeconds],
      [hub, "UPSTREAM_MODE_CACHE", true, 3600],
    );
    assert.deepEqual(await ids(site, "upstreams", "list"), [hub]);
    assert.match(await site.ok("upstreams", "list"), /^hub +http:\/\/127\.0\.0\.1:9 +cache/m);
    const updated = await json(site, "upstreams", "update", "hub", "--tags", "1.*,2.*");
    assert.deepEqual(updated.tags, ["1.*", "2.*"]);
    const details = await site.ok("upstreams", "describe", "hub");
    assert.match(details, /^Repositories: +library\/\*$/m);
    assert.ok(!details.includes("secret"));
  });

  test("check fails with the reason", async () => {
    await fails(site, 1, /the upstream 127\.0\.0\.1:9: /, "upstreams", "check", "hub");
  });

  test("only copies are synchronized", async () => {
    await fails(site, 6, /mode SYNC/, "upstreams", "sync", "hub");
    await site.ok("upstreams", "update", "hub", "--mode", "sync", "--interval", "1h");
    const { status } = await json(site, "upstreams", "sync", "hub");
    assert.match(status.syncState, /QUEUED|RUNNING|FAILED/);
  });

  test("are deleted", async () => {
    await site.ok("upstreams", "delete", "hub", "--yes");
    assert.deepEqual(await ids(site, "upstreams", "list"), []);
  });
});
