/** The bucket layout of osv.dev in feeds: files by ecosystem, for offline scanners, and for other installations. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { unzipped } from "./support/client/feed-client.ts";
import { importRecords } from "./support/exposure/osv-client.ts";
import { osvRecord } from "./support/exposure/source-server.ts";
import { until } from "./support/until.ts";
import { advisoryOf, writing } from "./support/world/advisories.ts";
import { FIXED, feedsOf } from "./support/world/feeds.ts";
import { onEachStore } from "./support/world/world.ts";

onEachStore(
  "feeds by ecosystem",
  (world) => {
    const feeds = feedsOf(world);
    const prepare = async () => {
      const group = await feeds.publicGroup();
      const both = osvRecord("GHSA-2222-3333-4444", "npm", "left-pad") as { affected: object[] };
      const inPyPI = osvRecord("unused", "PyPI", "left-pad") as { affected: object[] };
      await importRecords(
        world,
        group,
        { ...both, affected: [...both.affected, ...inPyPI.affected] },
        osvRecord("GHSA-5555-6666-7777", "npm", "right-pad"),
        osvRecord("ALPINE-CVE-2026-1", "Alpine:v3.20", "openssl"),
      );
      return group;
    };
    const text = async (path: string) => (await feeds.scanner.get(path)).bytes.toString("utf8");

    test("have the records of each, under the names without releases", async () => {
      const group = await prepare();
      assert.equal(await text(`${group}/osv/ecosystems.txt`), "Alpine\nPyPI\nnpm\n");
      const files = async (ecosystem: string) => {
        const { bytes } = await feeds.scanner.get(`${group}/osv/${ecosystem}/all.zip`);
        return [...(await unzipped(bytes)).keys()].sort();
      };
      assert.deepEqual(await files("npm"), [
        "GHSA-2222-3333-4444.json",
        "GHSA-5555-6666-7777.json",
      ]);
      assert.deepEqual(await files("PyPI"), ["GHSA-2222-3333-4444.json"]);
      assert.deepEqual(await files("Alpine"), ["ALPINE-CVE-2026-1.json"]);
      assert.deepEqual(await files("Go"), []);
      const changes = await text(`${group}/osv/PyPI/modified_id.csv`);
      assert.match(changes, /^\d{4}-[^,]+Z,GHSA-2222-3333-4444\n$/);
      const whole = await feeds.scanner.get(`${group}/osv/GHSA-2222-3333-4444.json`);
      const inNpm = await feeds.scanner.get(`${group}/osv/npm/GHSA-2222-3333-4444.json`);
      assert.deepEqual(inNpm.json, whole.json);
      const elsewhere = await feeds.scanner.get(`${group}/osv/Go/GHSA-2222-3333-4444.json`);
      assert.equal(elsewhere.status, 404);
      assert.equal((await feeds.scanner.get(`${group}/osv/Alpine:v3.20/all.zip`)).status, 404);
    });

    test("have the advisories that were written here", async () => {
      const group = await feeds.publicGroup();
      const advisory = {
        advisoryId: "CGA-2222-2222-2222",
        aliases: ["CVE-2026-1"],
        events: [FIXED],
      };
      await writing(feeds.direct, group, (writer) => writer.insert(advisoryOf(advisory)));
      const [ecosystem] = (await text(`${group}/osv/ecosystems.txt`)).split("\n");
      const { bytes } = await feeds.scanner.get(`${group}/osv/${ecosystem}/all.zip`);
      assert.deepEqual([...(await unzipped(bytes)).keys()], ["CGA-2222-2222-2222.json"]);
    });

    test("can be the source of another group", async () => {
      const group = await prepare();
      const parent = await world.organization();
      const source = {
        name: "upstream",
        kind: "VULNERABILITY_SOURCE_KIND_OSV",
        url: `${world.server.url}/feeds/${group}/osv`,
        ecosystems: ["npm", "Alpine"],
      };
      const { uid } = await world.operator().vulnerabilitySources.create(parent, source);
      const status = await until(async () => {
        const { status } = await world.operator().vulnerabilitySources.get(uid);
        return status.lastAttemptTime !== undefined && status;
      });
      // Records as new as the archive are read again, one by one: its time has seconds only.
      assert.equal(status.error ?? "", "");
      assert.ok(Number(status.records) >= 3);
      const { advisories } = await world
        .operator()
        .advisories.list({ uidp: { childrenOf: parent } });
      const names = advisories.map(({ artifactName }: { artifactName: string }) => artifactName);
      assert.deepEqual(names.sort(), ["left-pad", "left-pad", "openssl", "right-pad"]);
    });
  },
  { deliveryTimes: { idlePollMs: 20 } },
);
