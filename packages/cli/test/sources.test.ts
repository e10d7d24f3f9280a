import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { archiveOf } from "../../server/src/vulnerabilities/feeds/archive.ts";
import {
  changesOf,
  osvRecord,
  SourceServer,
} from "../../server/test/support/exposure/source-server.ts";
import { scratchFolder } from "../../server/test/support/server/scratch-folder.ts";
import { Site } from "./support/site.ts";

/** An archive of one record, as a bucket has it. */
async function archived(record: object): Promise<Buffer> {
  async function* files() {
    yield { path: "record.json", text: JSON.stringify(record), time: 0 };
  }
  return Buffer.concat(await Array.fromAsync(archiveOf(files())));
}

const RECORD = osvRecord("GHSA-2222-3333-4444", "npm", "left-pad");

describe("sources of vulnerabilities on the command line", () => {
  let site: Site;
  let upstream: SourceServer;
  before(async () => {
    site = await Site.start();
    await site.make("organizations", "acme");
    upstream = await SourceServer.start();
    upstream.put("/npm/modified_id.csv", changesOf([RECORD]));
    upstream.put("/npm/all.zip", await archived(RECORD));
  });
  after(async () => {
    upstream.stop();
    await site.stop();
  });

  const create = (name: string, ...args: string[]) =>
    site.run(
      "sources",
      "create",
      name,
      "--kind",
      "osv",
      "--parent",
      "acme",
      "--url",
      upstream.url,
      ...args,
    );

  test("are imported, changed and deleted", async () => {
    const created = await create("osv", "--ecosystems", "npm", "--interval", "6h", "--paused");
    assert.equal(created.code, 0, created.stderr);
    assert.match(created.stdout, /^Interval: +6h$/m);
    assert.match(created.stdout, /^State: +paused$/m);
    const imported = await site.ok("sources", "run", "acme/osv", "--wait");
    assert.match(imported, /^Records changed: +1$/m);
    assert.match(await site.ok("advisories", "list", "--parent", "acme"), /left-pad/);
    await site.ok("sources", "update", "osv", "--name", "bucket", "--paused", "no");
    assert.match(await site.ok("sources", "list"), /^bucket +acme +osv +current /m);
    await site.ok("sources", "delete", "acme/bucket", "-y");
    assert.equal(await site.ok("sources", "list", "-o", "id"), "");
  });

  test("that fail say why", async () => {
    await create("gone", "--ecosystems", "PyPI", "--paused");
    const { code, stderr } = await site.run("sources", "run", "gone", "--wait");
    assert.deepEqual(
      [code, /the import of gone failed: it answers with status 404/.test(stderr)],
      [1, true],
    );
    const described = await site.ok("sources", "describe", "gone");
    assert.match(described, /^Error: +it answers with status 404$/m);
    const none = await create("none");
    assert.deepEqual([none.code, /ecosystems is required/.test(none.stderr)], [2, true]);
  });

  test("keep their token secret", async () => {
    const token = join(scratchFolder("wharf-token-"), "token");
    writeFileSync(token, "s3cret\n");
    const created = await create("private", "--ecosystems", "npm", "--token", token);
    assert.match(created.stdout, /^Token: +stored$/m);
    assert.ok(!(created.stdout + created.stderr).includes("s3cret"));
    await site.ok("sources", "run", "private", "--wait");
    const sent = upstream.requests.map(({ authorization }) => authorization);
    assert.equal(sent.at(-1), "Bearer s3cret");
    const cleared = await site.ok("sources", "update", "private", "--clear-token");
    assert.doesNotMatch(cleared, /^Token:/m);
  });
});
