import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { clientOf, fails, ids, json } from "./support/resources.ts";
import { Site } from "./support/site.ts";

const DIGEST = `sha256:${"1".repeat(64)}`;

describe("repos and tags", () => {
  let site: Site;
  let acme: string;
  before(async () => {
    site = await Site.start();
    acme = await site.make("organizations", "acme");
    await site.make("folders", "platform", "--parent", "acme");
  });
  after(() => site.stop());

  test("repos are created, listed, described, updated and deleted", async () => {
    const made = await json(
      site,
      ...["repos", "create", "tools/app", "--parent", "acme/platform", "--tier", "base"],
      ...["--description", "an app", "--bundles", "base,fips"],
    );
    assert.deepEqual([made.catalogTier, made.bundles], ["CATALOG_TIER_BASE", ["base", "fips"]]);
    assert.match(
      await site.ok("repos", "list", "--parent", acme),
      /^tools\/app +acme\/platform +base +an app$/m,
    );
    assert.equal(
      await site.ok("repo", "ls", "-o", "tree"),
      "acme\n└── platform\n    └── tools/app\n",
    );
    for (const name of ["tools/app", "acme/platform/tools/app", made.uid]) {
      assert.deepEqual(await ids(site, "repos", "describe", name), [made.uid]);
    }
    const synced = await json(
      site,
      ...["repos", "create", "copy", "--parent", "acme", "--sync-from", "tools/app"],
    );
    assert.equal(synced.sync_config.source, made.uid);
    const updated = await json(site, "repos", "update", "tools/app", "--description", "");
    assert.equal(updated.description, "");
    await fails(site, 2, /nothing to change/, "repos", "update", "tools/app");
    await fails(site, 5, /no repo is named "acme\/nothing"/, "repos", "describe", "acme/nothing");
    await site.ok("repos", "delete", "copy", "-y");
    assert.deepEqual(await ids(site, "repos", "list", "--name", "copy"), []);
  });

  test("tags are listed with the requested columns, and described", async () => {
    const { uid } = await json(site, "repos", "create", "tagged", "--parent", "acme");
    const { tags } = await clientOf(site);
    for (const name of ["latest", "1.2-r3", "1.2-20260801"]) {
      await tags.create({ parent: uid, tag: { name, digest: DIGEST } });
    }
    const names = async (...args: string[]) =>
      (await json(site, "tags", "list", "--repo", "acme/tagged", ...args)).items.map(
        ({ name }: { name: string }) => name,
      );
    assert.deepEqual(await names(), ["latest"]);
    assert.deepEqual(await names("--show-epochs", "--show-dates"), [
      "1.2-20260801",
      "1.2-r3",
      "latest",
    ]);
    assert.deepEqual(await names("--updated-since", "1h"), ["latest"]);
    assert.deepEqual(await names("--updated-since", "2999-01-01"), []);
    const shown = await site.ok("tags", "describe", "acme/tagged:1.2-r3");
    assert.match(shown, new RegExp(`^Digest: +${DIGEST}$`, "m"));
    const [tag] = await ids(site, "tag", "get", "latest", "--repo", "tagged");
    assert.deepEqual(await ids(site, "tags", "describe", tag as string), [tag]);
    await fails(site, 5, /tagged has no tag "gone"/, "tags", "describe", "tagged:gone");
    await fails(site, 2, /the repo of tag "latest" is missing/, "tags", "describe", "latest");
    await fails(site, 2, /--updated-since must be a time/, "tags", "ls", "--updated-since", "x");
  });
});
