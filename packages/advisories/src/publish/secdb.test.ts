import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { JsonObject } from "@bufbuild/protobuf";
import { advisory, event, PUBLICATION } from "../../test/samples.ts";
import { secdbFile } from "./secdb.ts";

// biome-ignore lint/suspicious/noExplicitAny: tests inspect arbitrary parts of it.
async function written(given: readonly JsonObject[], architecture?: string): Promise<any> {
  let text = "";
  const advisories = given.map((one) => advisory(one));
  for await (const piece of secdbFile(advisories, PUBLICATION, architecture)) text += piece;
  return JSON.parse(text);
}

const fixed = (version: string) => [event({ fixed: { fixedVersion: version } })];
const falsePositive = [event({ falsePositiveDetermination: {} })];

describe("the secdb file", () => {
  test("has packages with fixes by version, and not affected under 0", async () => {
    const file = await written([
      { aliases: ["CVE-2026-2", "GHSA-x"], events: fixed("1.0-r1") },
      { aliases: ["CVE-2026-1"], events: fixed("1.0-r1") },
      { aliases: ["CVE-2026-3"], events: falsePositive },
      { aliases: ["CVE-2026-4"], events: [event({ pendingUpstreamFix: {} })] },
      { artifactName: "zlib", aliases: [], events: fixed("2"), artifactArchitecture: "aarch64" },
    ]);
    assert.deepEqual(file, {
      apkurl: "{{urlprefix}}/{{reponame}}/{{arch}}/{{pkg.name}}-{{pkg.ver}}.apk",
      archs: ["aarch64", "x86_64"],
      reponame: "wolfi",
      urlprefix: "https://wharf.example.com",
      packages: [
        {
          pkg: {
            name: "openssl",
            secfixes: { "0": ["CVE-2026-3"], "1.0-r1": ["CVE-2026-1", "CVE-2026-2", "GHSA-x"] },
          },
        },
        { pkg: { name: "zlib", secfixes: { "2": ["CGA-2222-3333-4444"] } } },
      ],
    });
  });

  test("treats fixed in version 0 as not affected", async () => {
    const { packages } = await written([{ aliases: ["CVE-2026-1"], events: fixed("0") }]);
    assert.deepEqual(packages[0].pkg.secfixes, { "0": ["CVE-2026-1"] });
  });

  test("has no ids with spaces, which scanners would split", async () => {
    const aliases = ["CVE-2026-1", "Odd name"];
    const { packages } = await written([{ aliases, events: fixed("2") }]);
    assert.deepEqual(packages[0].pkg.secfixes, { "2": ["CVE-2026-1"] });
    assert.deepEqual((await written([{ aliases: ["Odd name"], events: fixed("2") }])).packages, []);
  });

  test("lists not affected only if no component is affected", async () => {
    for (const real of [fixed("2"), [event({ detection: { manual: {} } })]]) {
      const { packages } = await written([{ events: falsePositive }, { events: real }]);
      assert.equal(packages[0]?.pkg.secfixes["0"], undefined);
    }
  });

  test("of one architecture includes advisories for all", async () => {
    const given = ["x86_64", "aarch64", "noarch"].map((artifactArchitecture) => ({
      artifactArchitecture,
      artifactName: artifactArchitecture,
      events: fixed("2"),
    }));
    const { archs, packages } = await written(given, "aarch64");
    assert.deepEqual(archs, ["aarch64"]);
    assert.deepEqual(
      packages.map((one: { pkg: { name: string } }) => one.pkg.name),
      ["aarch64", "noarch"],
    );
  });

  test("for every architecture has those of the distribution", async () => {
    const all = { artifactArchitecture: "all", events: fixed("2") };
    assert.deepEqual((await written([all])).archs, ["aarch64", "x86_64"]);
    const own = { artifactArchitecture: "riscv64", artifactName: "zlib", events: fixed("2") };
    assert.deepEqual((await written([all, own])).archs, ["aarch64", "riscv64", "x86_64"]);
    assert.deepEqual((await written([own])).archs, ["riscv64"]);
    assert.deepEqual((await written([all], "riscv64")).archs, ["riscv64"]);
  });

  test("omits deleted, unapproved and foreign advisories", async () => {
    const { packages } = await written([
      { events: fixed("2"), deleteTime: "2026-03-01T00:00:00Z" },
      { events: [event({ fixed: { fixedVersion: "2" } }, 1, "PENDING")] },
      { events: fixed("2"), artifactType: "image" },
      { events: fixed("2"), componentLocation: "Alpine:v3.20" },
    ]);
    assert.deepEqual(packages, []);
  });
});
