/** Advisories, OSV queries, apk packages and charts under the names of the public contract. */
import assert from "node:assert/strict";
import { hash } from "node:crypto";
import { before, test } from "node:test";
import { gunzipSync, gzipSync } from "node:zlib";
import { SecurityAdvisoryService } from "@wharf/contract";
import { CODES } from "@wharf/contract/messages";
import { advisoryV1, apkV1, argosOsvV1, argosVulnsV1, registryV1 } from "@wharf/contract/v1";
import { ANONYMOUS_UID } from "../src/auth/caller.ts";
import { ApiError } from "./support/client/api-error.ts";
import { EventStream } from "./support/events/streams.ts";
import { importRecords } from "./support/exposure/osv-client.ts";
import { HIGH, osv } from "./support/exposure/osv-records.ts";
import { storeFindings, writeDirectly } from "./support/exposure/stored-findings.ts";
import { MANIFEST } from "./support/registry/oci-client.ts";
import { ImageWorld, layerOf, spdxOf, tarOf } from "./support/world/image-world.ts";
import { onEachStore } from "./support/world/world.ts";

const { SecurityAdvisory } = advisoryV1;
const { ArgosOSV } = argosOsvV1;
const { ArgosVulns } = argosVulnsV1;
const { APK } = apkV1;
const { Registry } = registryV1;

const DAY = 24 * 3_600_000;

async function codeOf(call: Promise<unknown>): Promise<string> {
  try {
    await call;
    return "OK";
  } catch (error) {
    assert.ok(error instanceof ApiError, String(error));
    return Object.entries(CODES).find(([, { number }]) => number === error.code)?.[0] ?? "";
  }
}

onEachStore(
  "feeds of the public contract",
  (world) => {
    let images: ImageWorld;
    before(async () => {
      images = await ImageWorld.of(world);
    });

    /** A group with an imported record. */
    async function withRecord(id: string, name: string, more: object = {}) {
      const org = await world.organization();
      await importRecords(world, org, osv(id, "npm", name, "1.3.1", more));
      return org;
    }

    const documents = (found: { documents?: object[]; items?: object[] }) =>
      found.documents ?? found.items ?? [];

    test("resolved vulnerabilities of a tag, by day", async () => {
      const name = `acme/${world.name("resolved")}`;
      const { digest } = await images.push(name, "latest", "no layer");
      await images.attach(
        name,
        digest,
        "application/spdx+json",
        spdxOf(["pkg:npm/left-pad@1.3.0"]),
      );
      const { id: image } = await images.read(name, digest);
      const repo = await images.repo(name);
      const now = Date.now();
      const today = now - (now % DAY);
      await writeDirectly(world, (tx) =>
        tx.run("UPDATE tag_history SET time = ? WHERE repo = ?", today - 5 * DAY, repo),
      );
      await storeFindings(
        world,
        {
          ...{ image, vulnerability: "CVE-2026-1", resolved: today - DAY + 5 },
          detail: { names: ["CVE-2026-1", "CGA-1"], score: HIGH },
        },
        { image, vulnerability: "CVE-2026-2" },
        { image, vulnerability: "CVE-2026-3", resolved: today - 4 * DAY },
      );
      const range = {
        imageRefs: [{ repo: name }],
        startTime: new Date(today - 2 * DAY).toISOString(),
        endTime: new Date(today).toISOString(),
      };
      const api = world.operator("gRPC");
      const found = await api.call(SecurityAdvisoryService, "ListResolvedVulnsReports", range);
      const reports = found.resolvedVulnsReports;
      assert.deepEqual(
        reports.map(({ date, resolvedVulns }: { date: string; resolvedVulns: object[] }) => [
          (Date.parse(date) - today) / DAY,
          resolvedVulns.length,
        ]),
        [
          [-2, 0],
          [-1, 1],
          [0, 0],
        ],
      );
      assert.deepEqual(reports[1].resolvedVulns[0], {
        ...{ id: "CVE-2026-1", aliases: ["CGA-1"] },
        cvssSeverities: [{ type: "TYPE_CVSS_V3", score: HIGH }],
      });
      // Every capability is needed at the repo.
      const some = ["repo.list", "tag.list", "apk.list"];
      const { token } = await world.member({ [world.registry.organization]: some });
      const hidden = await api.as(token).call(SecurityAdvisory, "ListResolvedVulnsReports", {
        ...{ imageRefs: [{ repo: name }], from: range.startTime, to: range.endTime },
      });
      assert.ok(
        hidden.items.every((one: { resolvedVulns: object[] }) => one.resolvedVulns.length === 0),
      );
    });

    world.rule("apk packages are those of images that the caller may see", async (api) => {
      const path = `acme/${world.name("apks")}`;
      const { digest } = await images.push(path, "1", "no layer");
      const purl = (name: string, version: string, arch = "x86_64") =>
        `pkg:apk/alpine/${name}@${version}?arch=${arch}&distro=alpine-3.20`;
      const prefix = world.name("zapk");
      const packages = [
        purl(`${prefix}-one`, "1.2.9-r0"),
        purl(`${prefix}-one`, "1.2.10-r0"),
        purl(`${prefix}-one`, "1.2.10-r0", "aarch64"),
        purl(`${prefix}-two`, "3.0-r1"),
        "pkg:npm/left-pad@1.3.0",
      ];
      await images.attach(path, digest, "application/spdx+json", spdxOf(packages));
      await images.read(path, digest);
      const uidp = { ids: [await images.repo(path)] };
      const short = ({ items }: { items: { packageName: string; version: string }[] }) =>
        items.map(({ packageName, version }) => `${packageName.slice(prefix.length)} ${version}`);
      const all = await api.call(APK, "ListAPKs", { uidp });
      assert.deepEqual(
        [short(all).sort(), all.totalCount],
        [["-one 1.2.10-r0", "-one 1.2.10-r0", "-one 1.2.9-r0", "-two 3.0-r1"], "4"],
      );
      const page = await api.call(APK, "ListAPKs", { uidp, pageSize: 3 });
      const rest = await api.call(APK, "ListAPKs", {
        uidp,
        pageSize: 3,
        pageToken: page.nextPageToken,
      });
      assert.deepEqual([...short(page), ...short(rest)], short(all));
      assert.equal(rest.nextPageToken, "");
      const latest = { uidp, mostRecentlyUpdated: true, architecture: "x86_64" };
      const newest = await api.call(APK, "ListAPKs", latest);
      assert.deepEqual(short(newest), ["-one 1.2.10-r0", "-two 3.0-r1"]);
      const { items, totalCount } = await api.call(APK, "ListAPKSummaries", { query: prefix });
      assert.deepEqual(
        items.map(({ latestVersion, architectures }: Record<string, string>) => [
          latestVersion,
          architectures,
        ]),
        [
          ["1.2.10-r0", "aarch64, x86_64"],
          ["3.0-r1", "x86_64"],
        ],
      );
      assert.equal(totalCount, "2");
      const ofApks = api.as(
        (await world.member({ [world.registry.organization]: "apk.pull" })).token,
      );
      const outside = api.as(
        (await world.member({ [await world.organization()]: "viewer" })).token,
      );
      for (const one of [ofApks, outside]) {
        const { items: hidden, totalCount: none } = await one.call(APK, "ListAPKs", { uidp });
        assert.deepEqual([hidden, none], [[], "0"]);
      }
    });

    world.rule("charts are read from the registry, and found by deployments", async (api) => {
      const path = `acme/charts/${world.name("chart")}`;
      const config = { name: "api", version: "1.2.3", appVersion: "9", description: "An API." };
      const chart = {
        ...config,
        dependencies: [{ name: "redis", version: "1.x", repository: "oci://example.com/charts" }],
        annotations: { images: "- name: api\n  image: registry.test/acme/api:9\n" },
      };
      const files = { "api/Chart.yaml": "name: api\n", "api/values.yaml": "replicas: 2\n" };
      const archive = gzipSync(tarOf({ ...files, "api/charts/redis/values.yaml": "no: 1\n" }));
      const descriptor = async (mediaType: string, content: Buffer | string) => ({
        ...{ mediaType, size: Buffer.byteLength(content) },
        digest: await images.client.blob(path, content),
      });
      const { digest } = await images.put(
        path,
        "1.2.3",
        {
          ...{ schemaVersion: 2, mediaType: MANIFEST },
          config: await descriptor(
            "application/vnd.cncf.helm.config.v1+json",
            JSON.stringify(chart),
          ),
          layers: [
            await descriptor("application/vnd.cncf.helm.chart.content.v1.tar+gzip", archive),
          ],
        },
        MANIFEST,
      );
      const chartRepo = await images.repo(path);
      const found = await api.call(Registry, "GetChart", { repoId: chartRepo, digest });
      assert.partialDeepStrictEqual(found, {
        ...config,
        ...{ dependencies: chart.dependencies, raw: "name: api\n", values: "replicas: 2\n" },
        images: [{ name: "api", image: "registry.test/acme/api:9", repoName: "api" }],
      });
      const name = `acme/team/${world.name("deployed")}`;
      const image = await images.push(name, "1", layerOf({ a: "b" }));
      const repoId = await images.repo(name);
      const notChart = api.call(Registry, "GetChart", { repoId, digest: image.digest });
      assert.equal(await codeOf(notChart), "NOT_FOUND");
      const helm = () => api.call(Registry, "GetHelm", { repoId, digest: image.digest });
      assert.equal(await codeOf(helm()), "NOT_FOUND");
      const charts = [{ repo: `oci://registry.test/${path}` }];
      await api.call(Registry, "CreateDeployment", { parentId: repoId, charts });
      assert.partialDeepStrictEqual(await helm(), {
        ...{ chartName: path.split("/").at(-1), chartRepository: charts[0]?.repo },
        ...{ chartVersion: "1.2.3", chartDigest: digest },
      });
      const binding = { chartRepo, imageRepo: name.split("/")[2] };
      const bound = await api.call(Registry, "ListChartsByImageRepo", { repoId });
      assert.partialDeepStrictEqual(bound.chartImageBindings, [binding]);
      const many = { imageRepoIds: [repoId] };
      const same = await api.call(Registry, "ListChartImageBindings", many);
      assert.deepEqual(same, bound);
      // The chart's repo is not visible to those who see the image's repo alone.
      const { token } = await world.member({ [world.registry.team]: ["repo.list"] });
      const hidden = await api.as(token).call(Registry, "ListChartsByImageRepo", { repoId });
      assert.deepEqual(hidden.chartImageBindings, []);
      const stranger = api.as((await world.member()).token);
      assert.notEqual(await codeOf(stranger.call(Registry, "ListChartImageBindings", many)), "OK");
    });

    test("advisories are those of public groups, and those that the caller may list", async () => {
      const api = world.operator();
      const name = world.name("pad");
      const open = await withRecord("GHSA-aaaa-aaaa-aaaa", name, {
        ...{ aliases: ["CVE-2026-11"], summary: "It pads.", details: "Too much." },
        severity: [{ type: "CVSS_V3", score: HIGH }],
        references: [{ type: "FIX", url: "https://example.com/fix" }],
      });
      const closed = await withRecord("GHSA-bbbb-bbbb-bbbb", name, { aliases: ["CVE-2026-12"] });
      const member = api.as((await world.member({ [closed]: ["advisories.list"] })).token);
      const anonymous = api.as("");
      const request = { id: name };
      const ask = (one: typeof api, cves: string[] = []) =>
        one.call(SecurityAdvisoryService, "ListDocuments", { ...request, cves });
      assert.equal(await codeOf(ask(anonymous)), "UNAUTHENTICATED");
      const binding = await world.bind(open, ANONYMOUS_UID, ["advisories.list"]);
      const [document] = documents(await ask(anonymous)) as {
        id: string;
        advisories: { aliases: string[]; events: object[] }[];
      }[];
      assert.equal(document?.id, name);
      const aliases = document?.advisories.map((one) => one.aliases.join());
      assert.deepEqual(aliases, ["GHSA-aaaa-aaaa-aaaa,CVE-2026-11"]);
      assert.ok((document?.advisories[0]?.events.length ?? 0) > 0);
      const both = documents(await ask(member)) as { advisories: object[] }[];
      assert.equal(both[0]?.advisories.length, 2);
      assert.deepEqual(documents(await ask(anonymous, ["CVE-2026-12"])), []);
      const old = await anonymous.call(SecurityAdvisory, "ListDocuments", request);
      assert.deepEqual(old.items[0].advisories.length, 1);
      assert.equal(
        await codeOf(anonymous.call(SecurityAdvisory, "ListDocuments")),
        "INVALID_ARGUMENT",
      );
      const ids = ["CVE-2026-11", "CVE-2026-12", "CVE-1999-1"];
      const metadata = await anonymous.call(SecurityAdvisoryService, "ListVulnerabilityMetadata", {
        ids,
      });
      assert.deepEqual(metadata.vulnerabilityMetadata, [
        {
          ...{ id: "CVE-2026-11", summary: "It pads.", details: "Too much." },
          references: [{ type: "TYPE_FIX", url: "https://example.com/fix" }],
          severities: [{ type: "TYPE_CVSS_V3", score: HIGH }],
        },
      ]);
      assert.equal(metadata.totalCount, "1");
      const page = { ids, pageSize: 1, orderBy: "id desc" };
      const first = await member.call(SecurityAdvisory, "ListVulnerabilityMetadata", page);
      assert.deepEqual([first.items[0].id, first.totalCount], ["CVE-2026-12", "2"]);
      const next = { ...page, pageToken: first.nextPageToken };
      const second = await member.call(SecurityAdvisory, "ListVulnerabilityMetadata", next);
      assert.deepEqual([second.items[0].id, second.nextPageToken], ["CVE-2026-11", ""]);
      const wrong = api.as("wrong").call(SecurityAdvisory, "ListDocuments", request);
      assert.equal(await codeOf(wrong), "UNAUTHENTICATED");
      await api.roleBindings.delete(binding);
    });

    world.rule("OSV queries answer with records of groups with the capability", async (api) => {
      const name = world.name("argos");
      const id = `GHSA-${world.name("cccc")}`;
      const org = await withRecord(id, name, { aliases: ["CVE-2026-21"], withdrawn: undefined });
      const other = await withRecord(`GHSA-${world.name("dddd")}`, name);
      const reader = api.as((await world.member({ [org]: "argos.osv.reader" })).token);
      const query = { package: { ecosystem: "npm", name }, version: "1.0.0" };
      const ids = ({ vulns }: { vulns: { id: string }[] }) => vulns.map((one) => one.id);
      const found = await reader.call(ArgosOSV, "Query", query);
      assert.deepEqual(ids(found), [id]);
      assert.equal(found.vulns[0].affected[0].ranges[0].type, "ECOSYSTEM");
      assert.equal(found.vulns[0].affected[0].ranges[0].events[1].fixed, "1.3.1");
      const fixed = await reader.call(ArgosOSV, "Query", { ...query, version: "1.3.1" });
      assert.deepEqual(ids(fixed), []);
      const none = { package: { ecosystem: "npm", name: "absent" } };
      const batch = await reader.call(ArgosOSV, "QueryBatch", { queries: [none, query] });
      assert.deepEqual(batch.results.map(ids), [[], [id]]);
      assert.equal((await reader.call(ArgosOSV, "GetVuln", { id })).id, id);
      const stranger = api.as((await world.member({ [other]: "viewer" })).token);
      assert.deepEqual(ids(await stranger.call(ArgosOSV, "Query", query)), []);
      assert.equal(await codeOf(stranger.call(ArgosOSV, "GetVuln", { id })), "NOT_FOUND");
      const nameless = reader.call(ArgosOSV, "Query", { package: { name: "x" } });
      assert.equal(await codeOf(nameless), "INVALID_ARGUMENT");
      const parent = org;
      const all = await api.call(ArgosVulns, "ListForOrg", { parent });
      assert.deepEqual([ids(all), all.totalCount], [[id], "1"]);
      const exact = { parent, package: `npm/${name}`, version: "1.0.0" };
      assert.deepEqual(ids(await api.call(ArgosVulns, "ListForOrg", exact)), [id]);
      const later = { ...exact, version: "2.0.0" };
      assert.deepEqual(ids(await api.call(ArgosVulns, "ListForOrg", later)), []);
      const got = await api.call(ArgosVulns, "BatchGet", { parent, cgpIds: ["absent", id] });
      assert.deepEqual(ids(got), [id]);
      const denied = reader.call(ArgosVulns, "ListForOrg", { parent });
      assert.equal(await codeOf(denied), "PERMISSION_DENIED");
    });

    test("a dump is an archive of all visible records", async () => {
      const org = await world.organization();
      const records = ["a", "b", "c"].map((one) => osv(`GHSA-dump-${one}`, "npm", one, "2.0.0"));
      await importRecords(world, org, ...records);
      const { token } = await world.member({ [org]: ["argos.osv.dump"] });
      const stream = await EventStream.overGrpc(world.server.url, token, ArgosOSV.method.dump, {});
      assert.equal(await stream.ended, 0);
      const [first, ...rest] = stream.events as unknown as {
        metadata?: { size_bytes: string; sha256: string };
        chunk?: string;
      }[];
      const bytes = Buffer.concat(rest.map(({ chunk = "" }) => Buffer.from(chunk, "base64")));
      assert.equal(Number(first?.metadata?.size_bytes), bytes.length);
      assert.equal(first?.metadata?.sha256, hash("sha256", bytes));
      const text = gunzipSync(bytes).toString();
      for (const { id } of records) assert.equal(text.split(`${id}.json`).length, 2, id);
      const { token: reader } = await world.member({ [org]: ["argos.osv.read"] });
      const empty = await EventStream.overGrpc(world.server.url, reader, ArgosOSV.method.dump, {});
      await empty.ended;
      const size = (empty.events[0] as unknown as { metadata: { size_bytes: string } }).metadata;
      assert.ok(Number(size.size_bytes) < 100);
    });
  },
  { registry: true },
);
