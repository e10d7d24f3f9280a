import assert from "node:assert/strict";
import { after, before } from "node:test";
import { ExposureWorld } from "./support/exposure/exposure-world.ts";
import { HIGH, later, osv } from "./support/exposure/osv-records.ts";
import { onEachStore } from "./support/world/world.ts";

onEachStore("matching of package versions with advisories", (world) => {
  let exposure: ExposureWorld;
  let org: string;
  before(async () => {
    exposure = await ExposureWorld.open(world);
    org = await world.organization();
  });
  after(() => exposure.close());

  async function repoIn(group: string): Promise<string> {
    return (await world.operator().repos.create(group, { name: world.name("repo") })).uid;
  }

  /** A group with a repo. */
  async function place(): Promise<{ group: string; repo: string }> {
    const group = await world.group(org);
    return { group, repo: await repoIn(group) };
  }

  async function imported(group: string, ...records: readonly object[]): Promise<void> {
    await exposure.importOsv(group, ...records);
    await exposure.drain();
  }

  world.rule("an advisory becomes findings of the images that contain its package", async () => {
    const { group, repo } = await place();
    const purl = "pkg:npm/%40acme/templates@1.4.0";
    const affected = await exposure.image({ repo, packages: [purl, "pkg:npm/other@1.0.0"] });
    const fixed = await exposure.image({ repo, packages: ["pkg:npm/%40acme/templates@1.4.7"] });
    await imported(
      group,
      osv("GHSA-aaaa-bbbb-cccc", "npm", "@acme/templates", "1.4.7", {
        aliases: ["CVE-2026-1001"],
        severity: [{ type: "CVSS_V3", score: HIGH }],
        summary: "Cross-site scripting",
      }),
    );
    const [finding, ...others] = await exposure.findings(affected);
    assert.deepEqual(others, []);
    assert.equal(finding?.vulnerability, "CVE-2026-1001");
    assert.deepEqual([finding?.status, finding?.severity, finding?.fixable], [1, 4, true]);
    const { records, ...detail } = finding?.detail ?? {};
    assert.deepEqual(detail, {
      names: ["CVE-2026-1001", "GHSA-aaaa-bbbb-cccc"],
      by: 1,
      introduced: "0",
      fixed: ["1.4.7"],
      score: HIGH,
    });
    assert.deepEqual(
      records?.map(([, id]) => id),
      ["GHSA-aaaa-bbbb-cccc"],
    );
    assert.deepEqual(await exposure.findings(fixed), []);
    const { stored, counted } = await exposure.counts(affected);
    assert.deepEqual(stored, [{ severity: 4, open: 1, fixable: 1, suppressed: 0 }]);
    assert.deepEqual(stored, counted);
    const after = await exposure.image({ repo, packages: ["pkg:npm/%40acme/templates@1.0.0"] });
    assert.equal((await exposure.current(after)).length, 1);
  });

  world.rule("findings follow changes and deletions, and come back as they were", async (api) => {
    const { group, repo } = await place();
    const purl = "pkg:npm/follows@2.0.0";
    const image = await exposure.image({ repo, packages: [purl] });
    const record = osv("GHSA-foll-owss-0001", "npm", "follows", "3.0.0");
    await imported(group, record);
    const [first] = await exposure.findings(image);
    assert.deepEqual([first?.status, first?.resolved], [1, 0]);
    await imported(group, later(osv("GHSA-foll-owss-0001", "npm", "follows", "1.5.0"), 1));
    const [resolved] = await exposure.findings(image);
    assert.ok(resolved?.resolved);
    assert.deepEqual(await exposure.counts(image), { stored: [], counted: [] });
    await imported(group, later(record, 2));
    const [again] = await exposure.findings(image);
    assert.deepEqual([again?.resolved, again?.firstSeen], [0, first?.firstSeen]);
    const [{ uid }] = (await api.advisories.list({ uidp: { childrenOf: group } })).advisories;
    await api.v1.advisories.delete(uid);
    await exposure.drain();
    assert.deepEqual(await exposure.current(image), []);
    const rows = await exposure.store.reader.all(
      "SELECT id FROM vulnerability_records WHERE group_uid = ?",
      group,
    );
    assert.deepEqual(rows, []);
  });

  world.rule("advisories apply to the images at and below their group", async () => {
    const { group, repo } = await place();
    const inner = await world.group(group);
    const below = await repoIn(inner);
    const beside = (await place()).repo;
    const packages = ["pkg:npm/tenants@1.0.0"];
    const images = await Promise.all(
      [repo, below, beside].map((one) => exposure.image({ repo: one, packages })),
    );
    await imported(group, osv("GHSA-tena-ntss-0001", "npm", "tenants", "2.0.0"));
    const found = await Promise.all(images.map((image) => exposure.current(image)));
    const expected = ["GHSA-tena-ntss-0001 pkg:npm/tenants@1.0.0 1"];
    assert.deepEqual(found, [expected, expected, []]);
    await imported(inner, osv("GHSA-tena-ntss-0002", "npm", "tenants", "2.0.0"));
    const counts = await Promise.all(
      images.map(async (one) => (await exposure.current(one)).length),
    );
    assert.deepEqual(counts, [1, 2, 0]);
  });

  world.rule("aliases join vulnerabilities, but not those of other groups", async () => {
    const one = await place();
    const other = await place();
    const packages = ["pkg:npm/joined@1.0.0"];
    const image = await exposure.image({ repo: one.repo, packages });
    const foreign = await exposure.image({ repo: other.repo, packages });
    const records = [
      osv("GHSA-join-edds-0001", "npm", "joined", "2.0.0"),
      osv("PYSEC-2026-77", "npm", "joined", "2.1.0"),
    ];
    await imported(one.group, ...records);
    await imported(other.group, ...records);
    assert.equal((await exposure.current(image)).length, 2);
    const joins = osv("CVE-2026-4444", "npm", "unrelated", "1.0.0", {
      aliases: ["GHSA-join-edds-0001", "PYSEC-2026-77"],
    });
    const before = await exposure.findings(image);
    await imported(one.group, joins);
    const [joined, ...more] = await exposure.findings(image);
    assert.deepEqual(more, [], "no finding remains under a former name");
    assert.equal(joined?.vulnerability, "CVE-2026-4444");
    assert.equal(joined?.firstSeen, Math.min(...before.map(({ firstSeen }) => firstSeen)));
    assert.deepEqual(joined?.detail.fixed, ["2.0.0", "2.1.0"]);
    assert.equal(joined?.detail.records.length, 2);
    assert.equal((await exposure.current(foreign)).length, 2);
    assert.deepEqual(await exposure.counts(image), {
      stored: [{ severity: 0, open: 1, fixable: 1, suppressed: 0 }],
      counted: [{ severity: 0, open: 1, fixable: 1, suppressed: 0 }],
    });
    await imported(one.group, later({ ...joins, aliases: [] }));
    assert.deepEqual(await exposure.current(image), [
      "GHSA-join-edds-0001 pkg:npm/joined@1.0.0 1",
      "PYSEC-2026-77 pkg:npm/joined@1.0.0 1",
    ]);
  });

  world.rule("a notice about several vulnerabilities does not join them", async () => {
    const { group, repo } = await place();
    const purl = "pkg:rpm/almalinux/httpd@2.4.37-1.el8?distro=almalinux-8";
    const image = await exposure.image({ repo, packages: [purl] });
    await imported(
      group,
      osv("ALSA-2026:1000", "AlmaLinux:8", "httpd", "2.4.37-2.el8", {
        related: ["CVE-2026-2001", "CVE-2026-2002"],
      }),
    );
    assert.deepEqual(await exposure.current(image), [
      `CVE-2026-2001 ${purl} 1`,
      `CVE-2026-2002 ${purl} 1`,
    ]);
    const [finding] = await exposure.findings(image);
    assert.deepEqual(
      finding?.detail.records.map(([, id]) => id),
      ["ALSA-2026:1000"],
    );
  });

  world.rule("packages of distributions match by source package and release", async () => {
    const { group, repo } = await place();
    const at = (distro: string) =>
      `pkg:apk/alpine/libssl3@3.1.0-r0?arch=x86_64&distro=${distro}&upstream=openssl`;
    const unknown = "pkg:apk/alpine/libssl3@3.1.0-r0?upstream=openssl";
    const images = await Promise.all(
      [at("alpine-3.19.1"), at("alpine-3.20.0"), unknown].map((purl) =>
        exposure.image({ repo, packages: [purl] }),
      ),
    );
    await imported(group, osv("ALPINE-CVE-2026-3001", "Alpine:v3.19", "openssl", "3.1.4-r0"));
    const found = await Promise.all(images.map((image) => exposure.findings(image)));
    const short = found.map(([one]) => one && [one.detail.by, one.detail.remarks]);
    assert.deepEqual(short, [[2, undefined], undefined, [2, ["release unknown"]]]);
  });

  world.rule(
    "records of a Wolfi package apply to others built from it that have none",
    async () => {
      const { group, repo } = await place();
      const purl = "pkg:apk/wolfi/curl-doc@8.0.0-r0?upstream=curl-w";
      const image = await exposure.image({
        repo,
        packages: [purl, "pkg:apk/wolfi/curl-w@8.0.0-r0"],
      });
      await imported(group, osv("CGA-wolf-0001", "Wolfi", "curl-w", "8.1.0-r0"));
      assert.equal((await exposure.current(image)).length, 2);
      const own = osv("CGA-wolf-0002", "Wolfi", "curl-doc", "7.0.0-r0");
      await imported(group, own);
      assert.deepEqual(await exposure.current(image), [
        "CGA-wolf-0001 pkg:apk/wolfi/curl-w@8.0.0-r0 1",
      ]);
      const without = "pkg:apk/wolfi/curl-dev@8.0.0-r0?upstream=curl-w";
      const added = await exposure.image({ repo, packages: [purl, without] });
      assert.deepEqual(await exposure.current(added), [`CGA-wolf-0001 ${without} 1`]);
      await imported(group, later({ ...own, withdrawn: "2026-03-01T00:00:01Z" }));
      assert.equal((await exposure.current(image)).length, 2);
      assert.equal((await exposure.current(added)).length, 2);
    },
  );

  world.rule("what cannot be compared is unknown, and not silent", async () => {
    const { group, repo } = await place();
    const purl = "pkg:golang/example.com/lib@%28devel%29";
    const image = await exposure.image({ repo, packages: [purl] });
    await imported(group, osv("GO-2026-0001", "Go", "example.com/lib", "1.2.3"));
    const [finding] = await exposure.findings(image);
    assert.equal(finding?.status, 4);
    assert.deepEqual(finding?.detail.remarks, ["version not comparable"]);
    assert.deepEqual((await exposure.counts(image)).stored, [
      { severity: 0, open: 1, fixable: 1, suppressed: 0 },
    ]);
  });

  world.rule("a distribution's clearance suppresses records of libraries it contains", async () => {
    const { group, repo } = await place();
    const inner = await world.group(group);
    const owner = "pkg:apk/alpine/py3-lib@1.0.0-r0?distro=alpine-3.19.0";
    const library = { purl: "pkg:pypi/lib-of-os@1.0.0", owner };
    const image = await exposure.image({ repo, packages: [owner, library] });
    const free = await exposure.image({ repo, packages: [library.purl] });
    const nearer = await exposure.image({
      repo: await repoIn(inner),
      packages: [owner, library],
    });
    const upstream = osv("PYSEC-2026-1", "PyPI", "lib-of-os", "2.0.0", {
      aliases: ["CVE-2026-5001"],
    });
    const clearance = osv("ALPINE-CVE-2026-5001", "Alpine:v3.19", "py3-lib", "0", {
      upstream: ["CVE-2026-5001"],
    });
    await imported(group, upstream, clearance);
    const [finding] = await exposure.findings(image);
    assert.deepEqual([finding?.vulnerability, finding?.status], ["CVE-2026-5001", 2]);
    const { origin, author } = finding?.detail.decision ?? {};
    assert.deepEqual([origin, author], [3, "ALPINE-CVE-2026-5001"]);
    assert.deepEqual(await exposure.current(free), [`CVE-2026-5001 ${library.purl} 1`]);
    assert.deepEqual((await exposure.counts(image)).stored, [
      { severity: 0, open: 0, fixable: 0, suppressed: 1 },
    ]);
    // A nearer group knows better.
    await imported(inner, { ...upstream, id: "ACME-2026-1" });
    assert.deepEqual(await exposure.current(nearer), [`CVE-2026-5001 ${library.purl} 1`]);
    assert.deepEqual(await exposure.current(image), [`CVE-2026-5001 ${library.purl} 2`]);
  });

  world.rule("advisories that are written here match by their events", async (api) => {
    const { group, repo } = await place();
    const purl = "pkg:apk/wolfi/own-pkg@1.0.0-r0";
    const image = await exposure.image({ repo, packages: [purl] });
    const event = (createTime: string, more: object) => ({
      ...{ createTime, reviewState: "REVIEW_STATE_APPROVED" },
      ...more,
    });
    const written = (name: string, events: object[]) => ({
      name,
      advisories: [
        {
          ...{ advisoryId: "CGA-2222-3333-4444", artifactType: "apk", artifactName: "own-pkg" },
          ...{ aliases: ["CVE-2026-6001"], events },
        },
      ],
    });
    const detected = event("2026-03-01T00:00:00.000Z", { detection: { manual: {} } });
    const { importAdvisories } = api.advisoryImports;
    await importAdvisories({ parent: group, documents: [written("one", [detected])] });
    await exposure.drain();
    const [found] = await exposure.findings(image);
    assert.deepEqual([found?.status, found?.fixable], [1, false]);
    const fixed = event("2026-03-02T00:00:00.000Z", { fixed: { fixedVersion: "1.0.1-r0" } });
    await importAdvisories({ parent: group, documents: [written("two", [detected, fixed])] });
    await exposure.drain();
    assert.deepEqual((await exposure.findings(image))[0]?.detail.fixed, ["1.0.1-r0"]);
    const cleared = event("2026-03-03T00:00:00.000Z", {
      falsePositiveDetermination: { note: "not built" },
    });
    await importAdvisories({ parent: group, documents: [written("three", [cleared])] });
    await exposure.drain();
    assert.deepEqual(await exposure.current(image), []);
  });
});
