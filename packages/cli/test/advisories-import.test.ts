import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { after, before, describe, test } from "node:test";
import { gzipSync } from "node:zlib";
import { cleanEnvironment, LAUNCHER, wharf } from "./support/command.ts";
import { FaultProxy } from "./support/fault-proxy.ts";
import { clientOf, fails, json } from "./support/resources.ts";
import { Site } from "./support/site.ts";

const FOLDER = mkdtempSync(join(tmpdir(), "wharf-import-test-"));
const GHSA = "GHSA-4x9r-j582-cgr8";
const CVSS = "CVSS:3.1/AV:N/AC:L/PR:N/UI:R/S:C/C:L/I:L/A:N";

/** A folder with these files. */
function folderWith(name: string, files: Readonly<Record<string, string>>): string {
  const folder = join(FOLDER, name);
  for (const [path, contents] of Object.entries(files)) {
    mkdirSync(join(folder, path, ".."), { recursive: true });
    writeFileSync(join(folder, path), contents);
  }
  return folder;
}

function distro(name: string, ids: readonly string[], version = "1.0-r0"): string {
  const advisories = ids.map(
    (id, number) => `
  - id: ${id}
    aliases: [CVE-2026-${1000 + number}]
    events:
      - timestamp: 2026-01-02T03:04:05Z
        type: detection
        data: {type: manual}
      - timestamp: 2026-01-03T03:04:05Z
        type: fixed
        data: {fixed-version: ${version}}`,
  );
  return `schema-version: 2.0.2\npackage:\n  name: ${name}\nadvisories:${advisories.join("")}\n`;
}

/** Advisories of each of many documents. */
const EACH = 5;

/** A batch holds a megabyte: each document with this comment is one of its own. */
const PADDING = `#${" ".repeat(600 * 1024)}\n`;

const ALPHABET = "23456789cfghjmpqrvwx";

/** Ids of the form that advisories have, as many as wanted. */
function ids(first: number, count: number): string[] {
  return Array.from({ length: count }, (_, at) => {
    let left = first + at;
    const letters = Array.from({ length: 12 }, () => {
      const letter = ALPHABET[left % ALPHABET.length];
      left = Math.floor(left / ALPHABET.length);
      return letter;
    });
    return `CGA-${[0, 4, 8].map((from) => letters.slice(from, from + 4).join("")).join("-")}`;
  });
}

const OSV = JSON.stringify({
  id: GHSA,
  modified: "2026-03-05T22:10:11Z",
  aliases: ["CVE-2026-1000"],
  severity: [{ type: "CVSS_V3", score: CVSS }],
  affected: [
    {
      package: { ecosystem: "npm", name: "templates" },
      ranges: [{ type: "SEMVER", events: [{ introduced: "0" }, { fixed: "4.2.1" }] }],
    },
  ],
});

describe("wharf advisories import", () => {
  let site: Site;
  before(async () => {
    site = await Site.start();
  });
  after(async () => {
    await site.stop();
    rmSync(FOLDER, { recursive: true });
  });

  const listed = async (group: string, ...args: string[]) =>
    (await json(site, "advisories", "list", "--parent", group, ...args)).items;
  const counts = ({ refusals: _, warnings: _warnings, ...numbers }: Record<string, unknown>) =>
    numbers;
  const none = {
    created: 0,
    changed: 0,
    unchanged: 0,
    vulnerabilities: 0,
    pendingEvents: 0,
    skipped: 0,
    refused: 0,
  };

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
      ...{ ...none, documents: 3, created: 5, vulnerabilities: 1, skipped: 1, refusals: [] },
      warnings: [],
    });
    const second = await json(site, ...command);
    assert.deepEqual(counts(second), { ...none, documents: 3, unchanged: 5, skipped: 1 });

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
    assert.deepEqual(await send(gzipSync(later)), { ...none, documents: 1, changed: 1 });
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
    assert.deepEqual(counts(printed), { ...none, documents: 8, unchanged: 1, refused: 7 });
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
      FOLDER,
      "--group",
      "nobody",
    );
    const empty = folderWith("empty", { "x.txt": "" });
    assert.deepEqual(counts(await json(site, ...command, empty)), {
      ...none,
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

  test("readers only see whole documents during an import", async () => {
    const group = await site.make("organizations", "whole");
    const files = Array.from({ length: 12 }, (_, at) => [
      `${at}.yaml`,
      distro(`package-${at}`, ids(10_000 + at * 100, EACH)) + PADDING,
    ]);
    const folder = folderWith("whole", Object.fromEntries(files));
    const { advisories } = await clientOf(site);
    let isOver = false;
    const importing = site.ok("advisories", "import", folder, "--group", "whole").finally(() => {
      isOver = true;
    });
    const seen = new Set<number>();
    while (!isOver) {
      const { totalCount } = await advisories.list({ uidp: { childrenOf: group }, pageSize: 1 });
      seen.add(Number(totalCount));
    }
    await importing;
    for (const count of seen) assert.equal(count % EACH, 0, `${count} is not whole documents`);
    assert.equal((await listed("whole")).length, 12 * EACH);
  });

  test("retries while the server is overloaded", async () => {
    await site.make("organizations", "patient");
    const folder = folderWith("patient", { "a.yaml": distro("a", ids(50_000, 1)) });
    let refused = 0;
    await using proxy = await FaultProxy.before(site, (request) => {
      if (request.method === "GET" || refused >= 2) return "pass";
      refused++;
      return "unavailable";
    });
    const env = { ...site.env, WHARF_API: proxy.url };
    const command = ["advisories", "import", folder, "--group", "patient", "-o", "json"];
    const { stdout } = await wharf(command, { env });
    assert.deepEqual(counts(JSON.parse(stdout)), { ...none, documents: 1, created: 1 });
    assert.equal(refused, 2);
  });

  test("interrupted by Ctrl-C, reports what was imported and can be continued", async () => {
    await site.make("organizations", "ended");
    const files = Array.from({ length: 40 }, (_, at) => [
      `${at}.yaml`,
      distro(`package-${at}`, ids(60_000 + at * 100, EACH)) + PADDING,
    ]);
    const folder = folderWith("ended", Object.fromEntries(files));
    const command = ["advisories", "import", folder, "--group", "ended", "-o", "json"];
    let child: ChildProcess | undefined;
    let sent = 0;
    await using proxy = await FaultProxy.before(site, ({ method }) => {
      if (method === "POST" && ++sent === 2) child?.kill("SIGINT");
      return "pass";
    });
    child = spawn(process.execPath, [LAUNCHER, ...command], {
      env: cleanEnvironment({ ...site.env, WHARF_API: proxy.url }),
    });
    const [stdout, stderr, [code]] = await Promise.all([
      text(child.stdout as Readable),
      text(child.stderr as Readable),
      once(child, "close"),
    ]);
    assert.equal(code, 130, stderr);
    const { created } = JSON.parse(stdout);
    assert.match(
      stderr,
      new RegExp(`${created} advisories created, .* run the same command again`),
    );
    assert.equal((await listed("ended")).length, created);
    assert.ok(created > 0 && created < 40 * EACH, `${created}`);
    const rest = await json(site, ...command);
    assert.deepEqual([rest.created, rest.unchanged], [40 * EACH - created, created]);
  });

  test("large documents are sent by gRPC; documents that are still too large are rejected", async () => {
    await site.make("organizations", "large");
    const one = ids(80_000, 1) as [string];
    const document = (name: string, first: number, count: number, note: string) => {
      const event = { timestamp: "2026-01-04T00:00:00Z", type: "pending-upstream-fix" };
      const events = [{ ...event, data: { note } }];
      const advisories = ids(first, count).map((id) => ({ id, events }));
      return JSON.stringify({ "schema-version": "2.0.2", package: { name }, advisories });
    };
    const folder = folderWith("large", {
      "a.json": document("many", 200_000, 4_000, "x".repeat(800)),
      "b.json": document("more", 300_000, 1_200, "x".repeat(4_000)),
      "c.yaml": distro("c", one),
    });
    const command = ["advisories", "import", folder, "--group", "large", "-o", "json"];
    const { stdout } = await fails(site, 1, /b\.json/, ...command);
    const { created, refused, refusals } = JSON.parse(stdout);
    assert.deepEqual([created, refused], [4_001, 1]);
    assert.match(refusals[0].reason, /^exceeds the size limit of the server: /);
  });
});
