/** Databases for osv-scanner's offline mode, and facts about vulnerabilities from files. */
import assert from "node:assert/strict";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { gzipSync } from "node:zlib";
import { factsOf } from "../../server/src/store/tables/exposure/sources/facts.ts";
import { unzipped } from "../../server/test/support/client/feed-client.ts";
import { osvRecord } from "../../server/test/support/exposure/source-server.ts";
import { DirectStore } from "../../server/test/support/server/direct-store.ts";
import { scratchFolder } from "../../server/test/support/server/scratch-folder.ts";
import { World } from "../../server/test/support/world/world.ts";
import { wharf } from "./support/command.ts";
import { Site } from "./support/site.ts";

describe("wharf osv mirror", () => {
  let site: Site;
  const folder = scratchFolder("wharf-mirror-test-");
  before(async () => {
    site = await Site.start();
    await site.make("organizations", "mirrored");
    const records = join(folder, "records");
    mkdirSync(records);
    for (const [id, ecosystem] of [
      ["GHSA-2222-3333-4444", "npm"],
      ["ALPINE-CVE-2026-1", "Alpine:v3.20"],
      ["ALPINE-CVE-2026-2", "Alpine:v3.19"],
    ] as const) {
      const record = osvRecord(id, ecosystem, "thing");
      writeFileSync(join(records, `${id}.json`), JSON.stringify(record));
    }
    await site.ok("advisories", "import", records, "--group", "mirrored");
  });
  after(() => site.stop());

  test("writes an archive for each ecosystem, where osv-scanner looks for it", async () => {
    const databases = join(folder, "databases");
    await site.ok("osv", "mirror", databases, "--group", "mirrored");
    assert.deepEqual(readdirSync(join(databases, "osv-scanner")).sort(), ["Alpine", "npm"]);
    const files = async (ecosystem: string) => {
      const path = join(databases, "osv-scanner", ecosystem, "all.zip");
      return [...(await unzipped(readFileSync(path))).keys()].sort();
    };
    assert.deepEqual(await files("npm"), ["GHSA-2222-3333-4444.json"]);
    assert.deepEqual(await files("Alpine"), ["ALPINE-CVE-2026-1.json", "ALPINE-CVE-2026-2.json"]);
  });

  test("writes only the requested ecosystems, and rejects those without records", async () => {
    const some = join(folder, "some");
    await site.ok("osv", "mirror", some, "--group", "mirrored", "--ecosystem", "npm");
    assert.deepEqual(readdirSync(join(some, "osv-scanner")), ["npm"]);
    const failed = site.ok(
      "osv",
      "mirror",
      join(folder, "none"),
      "--group",
      "mirrored",
      "--ecosystem",
      "Go",
    );
    await assert.rejects(failed, /no records of Go/);
    assert.throws(() => readdirSync(join(folder, "none")));
  });
});

describe("wharf admin vulnerabilities import", () => {
  let world: World;
  const folder = scratchFolder("wharf-facts-test-");
  before(async () => {
    world = await World.start();
  });
  after(() => world.stop());
  const imported = (name: string, content: string | Uint8Array) => {
    writeFileSync(join(folder, name), content);
    const words = ["admin", "vulnerabilities", "import", join(folder, name)];
    return wharf([...words, "--data", world.server.data]);
  };

  test("stores what CISA and FIRST say, and nothing of a file that is cut off", async () => {
    const catalog = JSON.stringify({
      count: 1,
      vulnerabilities: [{ cveID: "CVE-2026-1000", dateAdded: "2026-01-02" }],
    });
    const scores = gzipSync(
      "#score_date:2026-01-02\ncve,epss,percentile\nCVE-2026-1000,0.25,0.5\nno,1,1\n",
    );
    const kev = await imported("kev.json", catalog);
    assert.deepEqual(
      [kev.code, kev.stderr.includes("KEV: 1 records, 1 changed, 0 rejected")],
      [0, true],
      kev.stderr,
    );
    const epss = await imported("epss.csv.gz", scores);
    assert.deepEqual(
      [epss.code, epss.stderr.includes("EPSS: 2 records, 1 changed, 1 rejected")],
      [0, true],
      epss.stderr,
    );
    for (const [name, content] of [
      ["cut.json", catalog.slice(0, -4)],
      ["cut.csv.gz", scores.subarray(0, 40)],
      ["other.txt", "something else"],
      ["empty", ""],
    ] as const) {
      assert.notEqual((await imported(name, content)).code, 0, name);
    }
    const direct = await DirectStore.open(world.server);
    const facts = await factsOf(direct.store.reader, ["CVE-2026-1000"]);
    await direct.close();
    assert.deepEqual(
      [...facts.values()].map((one) => ({ ...one })),
      [
        {
          name: "CVE-2026-1000",
          exploited: Date.UTC(2026, 0, 2),
          probability: 250_000,
          percentile: 500_000,
        },
      ],
    );
  });
});
