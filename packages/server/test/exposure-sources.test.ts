/** Scheduled imports of vulnerability data, from a server that speaks HTTP as the public ones do. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { gzipSync } from "node:zlib";
import { archiveOf } from "../src/vulnerabilities/feeds/archive.ts";
import { changesOf, osvRecord, SourceServer } from "./support/exposure/source-server.ts";
import { until } from "./support/until.ts";
import { onEachStore } from "./support/world/world.ts";

const TIMES = { idlePollMs: 20, timeoutMs: 500, leaseMs: 2_000 };

/** An archive of records, as buckets have it. */
async function zipOf(records: readonly object[]): Promise<Buffer> {
  async function* files() {
    for (const record of records as { id: string }[]) {
      yield { path: `${record.id}.json`, text: JSON.stringify(record), time: 0 };
    }
  }
  return Buffer.concat(await Array.fromAsync(archiveOf(files())));
}

/** Serves records of an ecosystem in the layout of osv.dev. */
async function serveOsv(server: SourceServer, ecosystem: string, records: readonly object[]) {
  server.put(`/${ecosystem}/modified_id.csv`, changesOf(records));
  server.put(`/${ecosystem}/all.zip`, await zipOf(records));
  for (const one of records as { id: string }[]) {
    server.put(`/${ecosystem}/${one.id}.json`, JSON.stringify(one));
  }
}

onEachStore(
  "vulnerability sources",
  (world) => {
    let server: SourceServer;
    before(async () => {
      server = await SourceServer.start();
    });
    after(() => server.stop());

    const api = () => world.operator().vulnerabilitySources;
    const create = async (kind: string, fields: object = {}) => {
      const parent = await world.organization();
      const source = { name: "feed", kind: `VULNERABILITY_SOURCE_KIND_${kind}`, ...fields };
      const created = await api().create(parent, { url: server.url, ...source });
      return { parent, uid: created.uid as string };
    };
    /** The status after the next attempt. */
    const attempted = async (uid: string, before?: string) => {
      return until(async () => {
        const { status } = await api().get(uid);
        return status.lastAttemptTime !== undefined && status.lastAttemptTime !== before && status;
      });
    };
    const runAgain = async (uid: string) => {
      const { status } = await api().get(uid);
      await api().runVulnerabilitySource({ uid });
      return attempted(uid, status.lastAttemptTime);
    };
    const advisoriesOf = async (group: string) => {
      const { advisories } = await world
        .operator()
        .advisories.list({ uidp: { childrenOf: group } });
      return (advisories ?? []) as { uid: string; artifactName: string; aliases: string[] }[];
    };

    test("of OSV are imported as approved advisories, and then only what has changed", async () => {
      const records = [
        osvRecord("GHSA-aaaa-aaaa-aaaa", "npm", "left-pad", { aliases: ["CVE-2026-1001"] }),
        osvRecord("GHSA-bbbb-bbbb-bbbb", "npm", "right-pad", { modified: "2026-01-03T00:00:00Z" }),
      ];
      await serveOsv(server, "npm", records);
      const { uid, parent } = await create("OSV", { ecosystems: ["npm"] });
      const first = await attempted(uid);
      assert.deepEqual(
        [first.state, first.records, first.changed, first.dataTime],
        ["VULNERABILITY_SOURCE_STATE_CURRENT", "2", "2", "2026-01-03T00:00:00.000Z"],
      );
      const found = await advisoriesOf(parent);
      assert.deepEqual(found.map(({ artifactName }) => artifactName).sort(), [
        "left-pad",
        "right-pad",
      ]);
      const leftPad = found.find(({ artifactName }) => artifactName === "left-pad");
      const { events, source } = await world.operator().advisories.get(leftPad?.uid as string);
      assert.deepEqual(
        events.map(({ reviewState }: { reviewState: string }) => reviewState),
        ["REVIEW_STATE_APPROVED"],
      );
      assert.equal(source.inEffect, true);
      assert.deepEqual(server.taken(200).sort(), ["/npm/all.zip", "/npm/modified_id.csv"]);

      const unchanged = await runAgain(uid);
      assert.deepEqual([unchanged.records, server.taken(304)], ["0", ["/npm/modified_id.csv"]]);

      const changed = osvRecord("GHSA-aaaa-aaaa-aaaa", "npm", "left-pad", {
        modified: "2026-01-04T00:00:00Z",
        fixed: "1.3.0",
        aliases: ["CVE-2026-1001"],
      });
      await serveOsv(server, "npm", [changed, records[1] as object]);
      const second = await runAgain(uid);
      assert.deepEqual([second.records, second.changed], ["1", "1"]);
      assert.deepEqual(server.taken(200).sort(), [
        "/npm/GHSA-aaaa-aaaa-aaaa.json",
        "/npm/modified_id.csv",
      ]);
      const after = await world.operator().advisories.get(leftPad?.uid as string);
      assert.equal(after.source.osv.affected[0].ranges[0].events[1].fixed, "1.3.0");
    });

    test("with records that cannot be imported import the others, and name them", async () => {
      const bad = { ...osvRecord("BAD-1", "PyPI", "x"), affected: [{ package: { name: "x" } }] };
      await serveOsv(server, "PyPI", [osvRecord("PYSEC-1", "PyPI", "good"), bad]);
      const { uid, parent } = await create("OSV", { ecosystems: ["PyPI"] });
      const status = await attempted(uid);
      assert.deepEqual(
        [status.state, status.rejected],
        ["VULNERABILITY_SOURCE_STATE_CURRENT", "1"],
      );
      assert.match(status.rejections[0].name, /BAD-1/);
      assert.equal((await advisoriesOf(parent)).length, 1);
    });

    test("go on after an archive that is cut off, which changes nothing", async () => {
      const records = [osvRecord("GO-1", "Go", "example.com/m")];
      await serveOsv(server, "Go", records);
      const whole = await zipOf(records);
      server.put("/Go/all.zip", whole.subarray(0, whole.length - 30));
      const { uid, parent } = await create("OSV", { ecosystems: ["Go"] });
      const failed = await attempted(uid);
      assert.deepEqual(
        [failed.state, failed.errorCode, failed.failures],
        ["VULNERABILITY_SOURCE_STATE_FAILING", "INVALID_DATA", 1],
      );
      assert.deepEqual(await advisoriesOf(parent), []);
      server.put("/Go/all.zip", whole);
      const status = await runAgain(uid);
      assert.deepEqual(
        [status.state, status.errorCode ?? "", (await advisoriesOf(parent)).length],
        ["VULNERABILITY_SOURCE_STATE_CURRENT", "", 1],
      );
    });

    test("of Alpine have a record per release", async () => {
      const database = (fixed: string) =>
        JSON.stringify({
          packages: [
            {
              pkg: {
                name: "busybox",
                secfixes: { [fixed]: ["CVE-2026-2001 GHSA-x"], 0: ["CVE-2026-2002"] },
              },
            },
            { pkg: { name: "musl", secfixes: { "1.2.5-r1": ["CVE-2026-2001", "(no name)"] } } },
          ],
        });
      server.put("/v3.20/main.json", database("1.36-r2"), new Date("2026-02-01T00:00:00Z"));
      server.put("/v3.21/main.json", database("1.37-r1"));
      const ecosystems = ["Alpine:v3.20", "Alpine:v3.21"];
      const { uid, parent } = await create("ALPINE", { ecosystems });
      const status = await attempted(uid);
      assert.deepEqual(
        [status.records, status.rejected, status.dataTime],
        ["6", "2", "2026-02-01T00:00:00.000Z"],
      );
      const found = await advisoriesOf(parent);
      assert.equal(found.length, 6);
      const details = await Promise.all(
        found.map(({ uid: one }) => world.operator().advisories.get(one)),
      );
      const said = details.flatMap(({ source }) =>
        source.osv.affected.map(
          // biome-ignore lint/suspicious/noExplicitAny: a record of OSV
          (one: any) =>
            `${source.osv.id} ${one.package.ecosystem} ${one.package.name} ${one.ranges[0].events[1].fixed}`,
        ),
      );
      assert.deepEqual(said.sort(), [
        "ALPINE-CVE-2026-2001 Alpine:v3.20 busybox 1.36-r2",
        "ALPINE-CVE-2026-2001 Alpine:v3.20 musl 1.2.5-r1",
        "ALPINE-CVE-2026-2001 Alpine:v3.21 busybox 1.37-r1",
        "ALPINE-CVE-2026-2001 Alpine:v3.21 musl 1.2.5-r1",
        "ALPINE-CVE-2026-2002 Alpine:v3.20 busybox 0",
        "ALPINE-CVE-2026-2002 Alpine:v3.21 busybox 0",
      ]);
      server.put("/v3.20/main.json", `${database("1.36-r3")}`);
      const again = await runAgain(uid);
      assert.deepEqual([again.changed, again.records], ["1", "3"]);
    });

    test("of one file are imported only with the right checksum", async () => {
      const content = JSON.stringify({
        packages: [{ pkg: { name: "curl", secfixes: { "8.0-r0": ["CVE-2026-3001"] } } }],
      });
      server.put("/security.json", content);
      server.put("/security.json.sha256", `${"0".repeat(64)}  security.json\n`);
      const url = `${server.url}/security.json`;
      const fields = { url, ecosystems: ["Wolfi"], checksum: `${url}.sha256` };
      const { uid, parent } = await create("SECDB", fields);
      const failed = await attempted(uid);
      assert.equal(failed.errorCode, "CHECKSUM");
      assert.deepEqual(await advisoriesOf(parent), []);
      const sha256 = /the SHA-256 ([0-9a-f]{64})/.exec(failed.error)?.[1];
      server.put("/security.json.sha256", `${sha256}  security.json\n`);
      await runAgain(uid);
      const [advisory] = await advisoriesOf(parent);
      assert.deepEqual(
        [advisory?.artifactName, advisory?.aliases],
        ["curl", ["WOLFI-CVE-2026-3001", "CVE-2026-3001"]],
      );
    });

    test("of facts store what CISA and FIRST say, and what has changed enough", async () => {
      const listed = (...ids: string[]) =>
        JSON.stringify({
          dateReleased: "2026-03-01T00:00:00Z",
          count: ids.length,
          vulnerabilities: ids.map((cveID) => ({ cveID, dateAdded: "2026-02-28" })),
        });
      server.put("/kev.json", listed("CVE-2026-4001", "CVE-2026-4002"));
      const scores = (...rows: string[]) =>
        gzipSync(
          `#model_version:v1,score_date:2026-03-02T00:00:00Z\ncve,epss,percentile\n${rows.join("\n")}\n`,
        );
      server.put(
        "/epss.csv.gz",
        scores("CVE-2026-4001,0.5,0.9", "CVE-2026-4003,0.00042,0.05", "CVE-x,1,1"),
      );
      const kev = await create("KEV", { url: `${server.url}/kev.json` });
      const epss = await create("EPSS", { url: `${server.url}/epss.csv.gz` });
      assert.deepEqual((await attempted(kev.uid)).changed, "2");
      const status = await attempted(epss.uid);
      assert.deepEqual(
        [status.records, status.changed, status.rejected, status.dataTime],
        ["3", "2", "1", "2026-03-02T00:00:00.000Z"],
      );
      server.put("/kev.json", listed("CVE-2026-4002"));
      server.put("/epss.csv.gz", scores("CVE-2026-4001,0.509,0.91", "CVE-2026-4003,0.2,0.5"));
      assert.equal((await runAgain(kev.uid)).changed, "1");
      assert.equal((await runAgain(epss.uid)).changed, "1");
      server.put("/epss.csv.gz", scores("CVE-2026-4001,0.9,0.91").subarray(0, 60));
      assert.equal((await runAgain(epss.uid)).errorCode, "INVALID_DATA");
      server.put("/kev.json", listed("CVE-2026-4001").slice(0, -3));
      assert.equal((await runAgain(kev.uid)).errorCode, "INVALID_DATA");
    });

    test("of facts belong to the operator, and others to those who may approve advisories", async () => {
      const org = await world.organization();
      const { token } = await world.member({ [org]: "owner" });
      const own = world.operator().as(token).vulnerabilitySources;
      const source = {
        name: "mine",
        url: `${server.url}/kev.json`,
        kind: "VULNERABILITY_SOURCE_KIND_KEV",
      };
      await assert.rejects(own.create(org, source), { code: 7 });
      const osv = {
        ...source,
        kind: "VULNERABILITY_SOURCE_KIND_OSV",
        ecosystems: ["npm"],
        url: server.url,
      };
      const { uid } = await own.create(org, { ...osv, paused: true });
      const writer = await world.member({
        [org]: ["advisories.list", "advisories.create", "advisories.update"],
      });
      const asWriter = world.operator().as(writer.token).vulnerabilitySources;
      await assert.rejects(asWriter.create(org, osv), { code: 7 });
      await assert.rejects(asWriter.runVulnerabilitySource({ uid }), { code: 7 });
      await assert.rejects(asWriter.delete(uid), { code: 7 });
      assert.equal((await asWriter.get(uid)).name, "mine");
      const stranger = await world.member({ [await world.organization()]: "owner" });
      const asStranger = world.operator().as(stranger.token).vulnerabilitySources;
      await assert.rejects(asStranger.get(uid), { code: 7 });
      assert.deepEqual((await asStranger.list({})).vulnerabilitySources ?? [], []);
    });

    test("send their token to their origin only, and never return it", async () => {
      const other = await SourceServer.start();
      other.put("/npm/all.zip", await zipOf([osvRecord("GHSA-t", "npm", "t")]));
      server.put("/private/npm/modified_id.csv", changesOf([osvRecord("GHSA-t", "npm", "t")]));
      server.put("/private/npm/all.zip", (_request, response) => {
        response.writeHead(302, { location: `${other.url}/npm/all.zip` }).end();
      });
      server.requests.length = 0;
      const fields = {
        url: `${server.url}/private`,
        ecosystems: ["npm"],
        token: "secret-of-source",
      };
      const { uid, parent } = await create("OSV", fields);
      assert.equal((await attempted(uid)).state, "VULNERABILITY_SOURCE_STATE_CURRENT");
      const sent = server.requests.map(({ authorization }) => authorization);
      assert.deepEqual(sent, ["Bearer secret-of-source", "Bearer secret-of-source"]);
      assert.deepEqual(
        other.requests.map(({ authorization }) => authorization),
        [undefined],
      );
      other.stop();
      const answers = [
        await api().get(uid),
        await api().list({ uidp: { childrenOf: parent } }),
        await api().update(uid, { name: "renamed" }, ["name"]),
      ];
      assert.doesNotMatch(JSON.stringify(answers), /secret-of-source/);
      assert.equal(answers[0].hasToken, true);
      const moved = api().update(uid, { url: "https://elsewhere.example.com" }, ["url"]);
      await assert.rejects(moved, { code: 3 });
    });

    test("that are paused are imported only when that is requested", async () => {
      await serveOsv(server, "Hex", [osvRecord("EEF-1", "Hex", "x")]);
      const { uid } = await create("OSV", { ecosystems: ["Hex"], paused: true });
      const { status } = await api().get(uid);
      assert.deepEqual(
        [status.state, status.lastAttemptTime, status.nextAttemptTime],
        ["VULNERABILITY_SOURCE_STATE_PAUSED", undefined, undefined],
      );
      const after = await runAgain(uid);
      assert.deepEqual([after.records, after.nextAttemptTime], ["1", undefined]);
      const resumed = await api().update(uid, { paused: false }, ["paused"]);
      assert.ok(resumed.status.nextAttemptTime);
    });

    test("that stop are an event, once", async () => {
      server.put("/broken.json", (_request, response) => response.writeHead(503).end());
      const url = `${server.url}/broken.json`;
      const { uid, parent } = await create("SECDB", { url, ecosystems: ["Wolfi"] });
      await attempted(uid);
      for (let failures = 2; failures < 5; failures++) {
        const status = await runAgain(uid);
        assert.deepEqual([status.failures, status.errorCode], [failures, "HTTP_STATUS"]);
      }
      const { events } = await world.operator().events.list({ group: parent, pageSize: 100 });
      const alerts = events.filter(({ type }: { type: string }) =>
        type.endsWith("exposure.source.failed.v1"),
      );
      assert.equal(alerts.length, 1);
      assert.match(JSON.stringify(alerts[0]), /HTTP_STATUS/);
    });
  },
  { deliveryTimes: TIMES },
);
