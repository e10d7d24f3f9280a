import assert from "node:assert/strict";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { scratchFolder } from "../../server/test/support/server/scratch-folder.ts";
import { json } from "./support/resources.ts";
import { Site } from "./support/site.ts";

const FOLDER = scratchFolder("wharf-round-trip-test-");
const CVSS = "CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H";
const AT = "timestamp: 2026-01-0";

const CURL = `schema-version: 2.0.2
package:
  name: curl
advisories:
  - id: CGA-2q5g-x3vm-7r9c
    aliases: [GHSA-2jw5-hcfr-4pqm, CVE-2026-1]
    events:
      - ${AT}1T00:00:00Z
        type: detection
        data:
          type: scan/v1
          data:
            subpackageName: libcurl4
            componentID: 5a3c1f0e9b7d2468
            componentName: nghttp2
            componentVersion: 1.64.0-r0
            componentType: go-module
            componentLocation: /usr/lib/libnghttp2.so
            scanner: grype
      - {${AT}2T00:00:00Z, type: fixed, data: {fixed-version: 8.11.1-r0}}
  - id: CGA-3wxr-55jp-h6fm
    aliases: [CVE-2026-2]
    events:
      - {${AT}1T00:00:00Z, type: pending-upstream-fix, data: {note: "Wait for 9.0."}}
  - id: CGA-4wxr-55jp-h6fm
    aliases: [CVE-2026-3]
    events:
      - {${AT}1T00:00:00Z, type: fix-not-planned, data: {note: "End of life."}}
  - id: CGA-5wxr-55jp-h6fm
    aliases: [CVE-2026-4]
    events:
      - {${AT}1T00:00:00Z, type: analysis-not-planned, data: {note: "End of life."}}
  - id: CGA-6wxr-55jp-h6fm
    aliases: [CVE-2026-5]
    events:
      - {${AT}1T00:00:00Z, type: false-positive-determination, data: {type: inline-mitigations-exist}}
  - id: CGA-7wxr-55jp-h6fm
    aliases: [CVE-2026-6]
    events:
      - {${AT}1T00:00:00Z, type: true-positive-determination}
  - id: CGA-8wxr-55jp-h6fm
    aliases: [CVE-2026-7]
    events:
      - ${AT}3T00:00:00Z
        type: detection
        data: {type: nvdapi, data: {cpeSearched: "cpe:2.3:a", cpeFound: "cpe:2.3:b"}}
`;

const OSV = JSON.stringify({
  id: "CVE-2026-1",
  modified: "2026-01-01T00:00:00Z",
  severity: [{ type: "CVSS_V3", score: CVSS }],
});

describe("advisories that are imported, published and imported again", () => {
  let site: Site;
  before(async () => {
    site = await Site.start();
    await site.make("organizations", "acme");
    writeFileSync(join(FOLDER, "curl.yaml"), CURL);
    writeFileSync(join(FOLDER, "osv.json"), OSV);
    await site.ok("advisories", "import", FOLDER, "--group", "acme");
  });
  after(async () => {
    await site.stop();
    rmSync(FOLDER, { recursive: true });
  });

  const listed = async (group: string) =>
    (await json(site, "advisories", "list", "--parent", group)).items;

  /** A file of the feed of acme, on disk. */
  async function published(path: string): Promise<string> {
    const [acme] = (await json(site, "iam", "organizations", "list")).items;
    const response = await fetch(`${site.server.url}/feeds/${acme.uid}/${path}`, {
      headers: { authorization: `Bearer ${site.env.WHARF_TOKEN}` },
    });
    assert.equal(response.status, 200, path);
    const file = join(FOLDER, path.replaceAll("/", "-"));
    writeFileSync(file, Buffer.from(await response.arrayBuffer()));
    return file;
  }

  test("are unchanged in their group, in every format", async () => {
    const before = await listed("acme");
    for (const path of ["osv/all.zip", "openvex/all.json", "csaf/all.zip"]) {
      const file = await published(path);
      const tally = await json(site, "advisories", "import", file, "--group", "acme");
      const { created, changed, unchanged, vulnerabilities } = tally;
      assert.deepEqual([created, changed, unchanged, vulnerabilities], [0, 0, 7, 0], path);
    }
    assert.deepEqual(await listed("acme"), before);
  });

  test("are equal in another group, as OSV", async () => {
    await site.make("organizations", "beta");
    const file = await published("osv/all.zip");
    const tally = await json(site, "advisories", "import", file, "--group", "beta");
    assert.deepEqual([tally.created, tally.refused], [7, 0]);
    // Uids and times of storing belong to each group.
    const own = new Set(["uid", "createTime", "updateTime"]);
    const bare = (all: Record<string, unknown>[]) =>
      all
        .map((one) => ({
          ...Object.fromEntries(Object.entries(one).filter(([name]) => !own.has(name))),
          events: (one.events as Record<string, unknown>[]).map(({ uid: _, ...event }) => event),
        }))
        .sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
    assert.deepEqual(bare(await listed("beta")), bare(await listed("acme")));
  });

  test("have the same status as OpenVEX and CSAF", async () => {
    const standing = (all: { advisoryId: string; events: Record<string, unknown>[] }[]) =>
      all
        .map(({ advisoryId, events }) => {
          const types = Object.entries(events.at(-1) ?? {}).filter(
            ([, value]) => typeof value === "object",
          );
          return `${advisoryId} ${types.map(([type]) => type).join()}`;
        })
        .sort();
    const expected = standing(await listed("acme"));
    for (const [group, path] of [
      ["gamma", "openvex/all.json"],
      ["delta", "csaf/all.zip"],
    ] as const) {
      await site.make("organizations", group);
      const tally = await json(
        site,
        "advisories",
        "import",
        await published(path),
        "--group",
        group,
      );
      assert.deepEqual([tally.created, tally.refused], [7, 0], JSON.stringify(tally));
      assert.deepEqual(standing(await listed(group)), expected);
    }
  });
});
