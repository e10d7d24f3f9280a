import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { gzipSync } from "node:zlib";
import {
  CVSS,
  counts,
  distro,
  folderWith,
  GHSA,
  ids,
  NONE,
  OSV,
} from "./support/advisory-documents.ts";
import { wharf } from "./support/command.ts";
import { fails, json } from "./support/resources.ts";
import { Site } from "./support/site.ts";

describe("wharf advisories import", () => {
  let site: Site;
  before(async () => {
    site = await Site.start();
  });
  after(() => site.stop());

  const listed = async (group: string, ...args: string[]) =>
    (await json(site, "advisories", "list", "--parent", group, ...args)).items;

  test("finds notices of a distribution by upstream CVEs, with their severities and their record", async () => {
    await site.make("organizations", "notices");
    const rated = {
      ...{ id: "CVE-2026-4000", modified: "2026-03-01T00:00:00Z" },
      severity: [{ type: "CVSS_V3", score: CVSS }],
    };
    const notice = {
      schema_version: "1.7.0",
      ...{ id: "USN-7000-1", modified: "2026-03-05T22:10:11Z", published: "2026-03-05T00:00:00Z" },
      upstream: ["CVE-2026-4000", "CVE-2026-4001"],
      related: ["CVE-2026-4002"],
      affected: [
        {
          package: {
            ecosystem: "Ubuntu:24.04:LTS",
            name: "zlib",
            purl: "pkg:deb/ubuntu/zlib?arch=source&distro=noble",
          },
          ranges: [{ type: "ECOSYSTEM", events: [{ introduced: "0" }, { fixed: "1:1.3-2" }] }],
          ecosystem_specific: { binaries: [{ binary_name: "zlib1g", binary_version: "1:1.3-2" }] },
        },
      ],
    };
    const folder = folderWith("notices", {
      "cve.json": JSON.stringify(rated),
      "usn.json": JSON.stringify(notice),
    });
    await json(site, "advisories", "import", folder, "--group", "notices");
    for (const cve of notice.upstream) {
      const [found, ...others] = await listed("notices", "--cve", cve);
      assert.deepEqual([found.artifactName, others], ["zlib", []]);
      assert.deepEqual(found.severities, [{ type: "TYPE_CVSS_V3", score: CVSS }]);
      const { source } = await json(site, "advisories", "describe", found.advisoryId);
      assert.deepEqual([source.osv, source.inEffect], [notice, true]);
      const shown = await site.run("advisories", "describe", found.advisoryId);
      assert.match(shown.stdout, /^Source: +USN-7000-1$/m);
    }
    assert.deepEqual(await listed("notices", "--cve", "CVE-2026-4002"), []);
  });

  test("warns of repeated aliases, and imports them once", async () => {
    await site.make("organizations", "repeated");
    const twice = JSON.stringify({ ...JSON.parse(OSV), aliases: ["CVE-1", "CVE-1"] });
    const folder = folderWith("repeated", { "osv.json": twice });
    const command = ["advisories", "import", folder, "--group", "repeated"];
    const { code, stderr } = await site.run(...command);
    assert.equal(code, 0, stderr);
    const at = `${join(folder, "osv.json")}:1`;
    const warning = `wharf: warning: ${at}: aliases[1]: "CVE-1" occurs twice; it counts once`;
    assert.ok(stderr.includes(warning), stderr);
    const again = await json(site, ...command);
    assert.deepEqual([again.unchanged, again.warnings.length], [1, 1]);
    assert.deepEqual((await listed("repeated"))[0].aliases, [GHSA, "CVE-1"]);
  });

  test("imports all formats from a directory, and is idempotent", async () => {
    await site.make("organizations", "all");
    const vex = {
      "@context": "https://openvex.dev/ns/v0.2.0",
      "@id": "https://example.com/vex/1",
      author: "team@example.com",
      timestamp: "2026-01-08T18:02:03Z",
      version: 1,
      statements: [
        {
          vulnerability: { name: "CVE-2026-7777" },
          products: [{ "@id": "pkg:apk/wolfi/git" }],
          status: "not_affected",
          justification: "component_not_present",
        },
      ],
    };
    const folder = folderWith("all", {
      "curl.advisories.yaml": distro("curl", ids(0, 3)),
      "more/osv.json": OSV,
      "more/vex.json": JSON.stringify(vex),
      "README.md": "not a document",
    });
    const command = ["advisories", "import", folder, "--group", "all"];
    const foreseen = await json(site, ...command, "--dry-run");
    assert.deepEqual([foreseen.created, (await listed("all")).length], [5, 0]);
    const first = await json(site, ...command);
    assert.deepEqual(first, {
      ...{ ...NONE, documents: 3, created: 5, vulnerabilities: 1, skipped: 1, refusals: [] },
      warnings: [],
    });
    const second = await json(site, ...command);
    assert.deepEqual(counts(second), { ...NONE, documents: 3, unchanged: 5, skipped: 1 });

    const advisories = await listed("all");
    const curl = advisories.find((one: { advisoryId: string }) => one.advisoryId === ids(0, 1)[0]);
    assert.deepEqual(
      [curl.artifactName, curl.artifactArchitecture, curl.events.length, curl.events[1].fixed],
      ["curl", "all", 2, { ...curl.events[1].fixed, fixedVersion: "1.0-r0" }],
    );
    // Severities come from what OSV knows of the alias.
    assert.deepEqual(curl.severities, [{ type: "TYPE_CVSS_V3", score: CVSS }]);
    assert.equal((await listed("all", "--status", "not-affected")).length, 1);
    assert.equal((await listed("all", "--alias", GHSA)).length, 1);
  });

  test("updates changed advisories, adds events, and removes nothing", async () => {
    await site.make("organizations", "again");
    const [one, two] = ids(100, 2) as [string, string];
    const command = ["advisories", "import", "-", "--group", "again", "-o", "json"];
    const send = async (input: string | Buffer) => {
      const { code, stdout, stderr } = await wharf(command, { env: site.env, input });
      assert.equal(code, 0, stderr);
      return counts(JSON.parse(stdout));
    };
    await send(distro("curl", [one, two]));
    const later = distro("curl", [one], "2.0-r0").replaceAll("2026-01-03", "2026-02-03");
    assert.deepEqual(await send(gzipSync(later)), { ...NONE, documents: 1, changed: 1 });
    const all = await listed("again", "--id", one);
    assert.deepEqual(
      all[0].events.map((event: { fixed?: { fixedVersion: string } }) => event.fixed?.fixedVersion),
      [undefined, "1.0-r0", "2.0-r0"],
    );
    assert.equal((await listed("again")).length, 2);
  });

  test("rejects whole documents with line and reason, and imports the others", async () => {
    await site.make("organizations", "some");
    const [one, two, three] = ids(200, 3) as [string, string, string];
    const folder = folderWith("some", {
      "a.yaml": distro("a", [one, two]).replace("fixed-version: 1.0-r0", "fixed-version: "),
      "b.yaml": distro("b", [three]),
      "c.yaml": distro("c", ids(210, 1)).replaceAll("2026-01-03", "2999-01-03"),
      "d.json": '{"id": 1,\n "id": 2}',
      "e.yaml": distro("e", [ids(220, 1)[0], ids(220, 1)[0]] as string[]),
      "f.yaml": "schema-version: 3.1.0\n",
      "g.json": "x".repeat(17 * 1024 * 1024),
    });
    writeFileSync(join(folder, "h.json"), Buffer.from([0x7b, 0x0a, 0xff]));
    const command = ["advisories", "import", folder, "--group", "some"];
    const { stderr } = await fails(site, 1, /7 of 8 documents were rejected/, ...command);
    const at = (name: string) => join(folder, name);
    const reported = stderr.split("\n").filter((line) => line.startsWith("  /"));
    assert.deepEqual(reported, [
      `  ${at("a.yaml")}:13: advisories[0].events[1].data.fixed-version: is missing`,
      `  ${at("d.json")}:2: has the key "id" twice`,
      `  ${at("e.yaml")}:14: advisories[1].id: "${ids(220, 1)[0]}" occurs twice`,
      `  ${at("f.yaml")}:1: schema-version: schema version "3.1.0" is not supported; expected 2.x`,
      `  ${at("g.json")}: is larger than 16 MiB`,
      `  ${at("h.json")}:2: is not UTF-8: byte 0xff at offset 2`,
      `  ${at("c.yaml")}:11: advisories[0].events[1].createTime: createTime must not be in the future`,
    ]);
    assert.deepEqual(
      (await listed("some")).map(({ artifactName }: { artifactName: string }) => artifactName),
      ["b"],
    );
    const { stdout } = await fails(site, 1, /^\{"error":/, ...command, "-o", "json");
    const printed = JSON.parse(stdout);
    assert.deepEqual(counts(printed), { ...NONE, documents: 8, unchanged: 1, refused: 7 });
    assert.equal(printed.refusals[1].line, 2);
  });

  test("reports usage errors before anything is sent", async () => {
    await site.make("organizations", "none");
    const command = ["advisories", "import", "--group", "none"];
    await fails(site, 2, /nothing\.json/, ...command, "nothing.json");
    await fails(
      site,
      5,
      /no group is named "nobody"/,
      "advisories",
      "import",
      folderWith("unsent", { "a.yaml": distro("a", ids(1, 1)) }),
      "--group",
      "nobody",
    );
    const empty = folderWith("empty", { "x.txt": "" });
    assert.deepEqual(counts(await json(site, ...command, empty)), {
      ...NONE,
      documents: 0,
      skipped: 1,
    });
  });

  test("skips files of other kinds in a folder, and those that patterns exclude", async () => {
    await site.make("organizations", "mixed");
    const folder = folderWith("mixed", {
      "package.json": JSON.stringify({ name: "tool", version: "1.0.0" }),
      "osv/a.json": OSV.replaceAll("CVE-2026-1000", "CVE-2026-6"),
      "testdata/broken.json": "{",
    });
    const command = ["advisories", "import", "--group", "mixed"];
    const read = await json(site, ...command, folder, "--exclude", "testdata/**");
    assert.deepEqual([read.documents, read.refused, read.skipped], [1, 0, 2]);
    assert.deepEqual(
      read.warnings.map((one: Record<string, string>) => [one.document, one.reason]),
      [[join(folder, "package.json"), "is not an advisory; skipped"]],
    );
    const only = await json(site, ...command, folder, "--include", "a.*", "--dry-run");
    assert.deepEqual([only.documents, only.skipped], [1, 2]);
    await fails(site, 1, /is not a supported format/, ...command, join(folder, "package.json"));
  });

  test("with --metadata-only imports only metadata of vulnerabilities", async () => {
    await site.make("organizations", "known");
    const folder = folderWith("known", {
      "osv.json": OSV.replaceAll("CVE-2026-1000", "CVE-2026-5"),
    });
    const command = ["advisories", "import", folder, "--group", "known", "--metadata-only"];
    assert.equal((await json(site, ...command)).created, 0);
    assert.deepEqual(await listed("known"), []);
  });
});
