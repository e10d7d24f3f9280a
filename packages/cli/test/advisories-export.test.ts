import assert from "node:assert/strict";
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { assertValid } from "../../advisories/test/schemas.ts";
import { unzipped } from "../../server/test/support/client/feed-client.ts";
import { scratchFolder } from "../../server/test/support/server/scratch-folder.ts";
import { fails, json, runAs } from "./support/resources.ts";
import { Site } from "./support/site.ts";

const FOLDER = scratchFolder("wharf-export-test-");

const DISTRO = `schema-version: 2.0.2
package:
  name: openssl
advisories:
  - id: CGA-2222-3333-4444
    aliases: [CVE-2026-1000, GHSA-4x9r-j582-cgr8]
    events:
      - timestamp: 2026-01-02T03:04:05Z
        type: detection
        data:
          type: scan/v1
          data: {subpackageName: libssl3, componentID: abc, componentName: libssl3, componentVersion: 3.1, componentType: apk, componentLocation: /lib, scanner: grype}
      - timestamp: 2026-01-03T03:04:05Z
        type: fixed
        data: {fixed-version: 3.2-r1}
  - id: CGA-3333-4444-5555
    aliases: [CVE-2026-1001]
    events:
      - timestamp: 2026-01-02T03:04:05Z
        type: false-positive-determination
        data: {type: vulnerable-code-not-in-execution-path, note: never called}
`;

const OSV = JSON.stringify({
  id: "GHSA-4x9r-j582-cgr8",
  modified: "2026-03-05T22:10:11Z",
  aliases: ["CVE-2026-1000"],
  severity: [{ type: "CVSS_V3", score: "CVSS:3.1/AV:N/AC:L/PR:N/UI:R/S:C/C:L/I:L/A:N" }],
  affected: [
    {
      package: { ecosystem: "npm", name: "templates" },
      ranges: [{ type: "SEMVER", events: [{ introduced: "0" }, { fixed: "4.2.1" }] }],
    },
  ],
});

describe("wharf advisories export", () => {
  let site: Site;
  let group: string;
  before(async () => {
    site = await Site.start();
    group = await site.make("organizations", "exported");
    writeFileSync(join(FOLDER, "openssl.advisories.yaml"), DISTRO);
    writeFileSync(join(FOLDER, "ghsa.json"), OSV);
    await site.ok("advisories", "import", FOLDER, "--group", "exported");
  });
  after(async () => {
    await site.stop();
    rmSync(FOLDER, { recursive: true });
  });

  const exported = (...args: string[]) => site.ok("advisories", "export", ...args);

  test("writes each format to a file, a folder or standard output", async () => {
    const folder = join(FOLDER, "out/");
    for (const format of ["osv", "secdb", "openvex", "csaf"]) {
      await exported("--group", "exported", "--feed", format, "--to", `${folder}/`);
    }
    assert.deepEqual(readdirSync(folder).sort(), [
      "csaf.zip",
      "openvex.json",
      "osv.zip",
      "security.json",
    ]);
    const osv = await unzipped(readFileSync(join(folder, "osv.zip")));
    assert.equal(osv.size, 3);
    for (const text of osv.values()) assertValid("osv", JSON.parse(text));
    const csaf = await unzipped(readFileSync(join(folder, "csaf.zip")));
    for (const text of csaf.values()) assertValid("csaf", JSON.parse(text));
    const printed = await exported("--group", group, "--feed", "openvex");
    assertValid("openvex", JSON.parse(printed));
    assert.equal(printed, readFileSync(join(folder, "openvex.json"), "utf8"));
    const { packages } = JSON.parse(readFileSync(join(folder, "security.json"), "utf8"));
    assert.deepEqual(packages[0].pkg.secfixes, {
      "0": ["CVE-2026-1001"],
      "3.2-r1": ["CVE-2026-1000", "GHSA-4x9r-j582-cgr8"],
    });
  });

  test("does not overwrite a temporary file of another command", async () => {
    const target = join(FOLDER, "shared.json");
    writeFileSync(`${target}.part`, "half of what another writes");
    await exported("--group", "exported", "--feed", "openvex", "--to", target);
    assertValid("openvex", JSON.parse(readFileSync(target, "utf8")));
    assert.equal(readFileSync(`${target}.part`, "utf8"), "half of what another writes");
    rmSync(`${target}.part`);
  });

  test("as OSV is imported elsewhere without loss", async () => {
    await site.make("organizations", "copied");
    const [first, second] = [join(FOLDER, "first.zip"), join(FOLDER, "second.zip")];
    await exported("--group", "exported", "--feed", "osv", "--to", first);
    await site.ok("advisories", "import", first, "--group", "copied");
    const listed = async (of: string) =>
      (await json(site, "advisories", "list", "--group", of)).items
        .map(comparable)
        .toSorted((a: Listed, b: Listed) => (a.advisoryId < b.advisoryId ? -1 : 1));
    assert.equal((await listed("exported")).length, 3);
    assert.deepEqual(await listed("copied"), await listed("exported"));
    await exported("--group", "copied", "--feed", "osv", "--to", second);
    const [a, b] = [await unzipped(readFileSync(first)), await unzipped(readFileSync(second))];
    assert.deepEqual(withoutTimes(b), withoutTimes(a));
    const again = await json(site, "advisories", "import", second, "--group", "exported");
    const { created, changed, unchanged } = again;
    assert.deepEqual({ created, changed, unchanged }, { created: 0, changed: 0, unchanged: 3 });
  });

  test("requires the capability, and leaves no partial file", async () => {
    const target = join(FOLDER, "never.zip");
    const args = ["--feed", "osv", "--to", target];
    await fails(
      site,
      5,
      /does not exist/,
      "advisories",
      "export",
      "--group",
      "0".repeat(40),
      ...args,
    );
    const identity = await site.ok(
      "iam",
      "identities",
      "create",
      "nobody",
      "--group",
      "exported",
      "--issuer",
      "https://issuer.example.com",
      "--subject",
      "nobody",
      "-q",
      "-o",
      "id",
    );
    const refused = await runAs(
      site,
      identity.trim(),
      "advisories",
      "export",
      "--group",
      group,
      ...args,
    );
    assert.equal(refused.code, 5, refused.stderr);
    assert.deepEqual(
      readdirSync(FOLDER).filter((name) => /^never|\.part$/.test(name)),
      [],
    );
    await fails(site, 2, /feed/, "advisories", "export", "--group", group, "--feed", "pdf");
  });
});

interface Listed {
  readonly advisoryId: string;
  readonly events: readonly { uid: string }[];
}

/** An advisory without the fields that depend on its group and on its way there. */
function comparable({ uid: _, updateTime: _u, ...rest }: Listed & Record<string, unknown>) {
  return { ...rest, events: rest.events.map(({ uid: _uid, ...event }) => event) };
}

function withoutTimes(files: ReadonlyMap<string, string>): [string, unknown][] {
  return [...files].map(([name, text]) => {
    const document = JSON.parse(text);
    delete document.modified;
    for (const advisory of [document.database_specific.wharf].flat()) delete advisory.updateTime;
    return [name, document];
  });
}
