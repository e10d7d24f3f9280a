import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { JsonObject } from "@bufbuild/protobuf";
import { toJson } from "@bufbuild/protobuf";
import { AdvisoryDocumentSchema } from "@wharf/contract/messages";
import { advisory, event, KINDS, PUBLICATION, V3 } from "../../test/samples.ts";
import { assertValid } from "../../test/schemas.ts";
import { readDocument } from "../read/index.ts";
import { osvDocument, osvEntry } from "./osv.ts";
import { publicPart } from "./public-part.ts";

// biome-ignore lint/suspicious/noExplicitAny: tests inspect arbitrary parts of it.
function written(given: JsonObject, publication = PUBLICATION): any {
  const document = osvDocument([advisory(given)], publication);
  assertValid("osv", document);
  return document;
}

describe("OSV documents", () => {
  test("have all fields that scanners use", () => {
    const severities = [
      { type: "TYPE_CVSS_V3", score: V3 },
      { type: "TYPE_CVSS_V3", score: "9.8" },
      { type: "TYPE_CVSS_V4", score: "CVSS:4.0/AV:N" },
    ];
    const events = [event({ fixed: { fixedVersion: "3.5.0-r0" } })];
    const { database_specific, ...document } = written({ severities, events });
    assert.deepEqual(document, {
      schema_version: "1.7.0",
      id: "CGA-2222-3333-4444",
      published: "2026-01-01T00:00:00.123Z",
      modified: "2026-02-03T04:05:06.789Z",
      upstream: ["GHSA-2222-3333-4444", "CVE-2026-1234"],
      summary: "CVE-2026-1234 in openssl",
      severity: [{ type: "CVSS_V3", score: V3 }],
      affected: [
        {
          package: { ecosystem: "Wolfi", name: "openssl", purl: "pkg:apk/wolfi/openssl" },
          ranges: [{ type: "ECOSYSTEM", events: [{ introduced: "0" }, { fixed: "3.5.0-r0" }] }],
          ecosystem_specific: {
            status: "fixed",
            architecture: "x86_64",
            component_name: "libcrypto3",
            component_type: "apk",
            component_location: "/usr/lib/libcrypto.so.3",
          },
        },
      ],
    });
    assert.equal(database_specific.status, "fixed");
  });

  for (const [type, status] of KINDS) {
    test(`are valid and have the status ${status} after ${JSON.stringify(type)}`, () => {
      const document = written({ events: [event(type)] });
      assert.equal(document.database_specific.status, status);
      const ends = document.affected[0].ranges.map(
        (range: { events: { fixed?: string }[] }) => range.events[1]?.fixed,
      );
      if (status === "not_affected") assert.deepEqual(ends, ["0"]);
      else if (status === "fixed") assert.ok(ends.every((end: string) => end.startsWith("3.")));
      else assert.deepEqual(ends, [undefined]);
    });
  }

  test("omit events that are not approved", () => {
    const states = ["PENDING", "REQUEST_CHANGES", "REJECTED", "UNSPECIFIED"];
    const hidden = states.map((state, at) =>
      event({ fixed: { fixedVersion: "9" } }, 9 + at, state),
    );
    assert.equal(osvDocument([advisory({ events: hidden })], PUBLICATION), undefined);
    assert.equal(osvEntry(advisory({ events: hidden })), undefined);
    const document = written({ events: [...hidden, event({ detection: { manual: {} } })] });
    assert.equal(document.database_specific.status, "under_investigation");
    assert.doesNotMatch(JSON.stringify(document), /"9"|reviewer@|tickets|findings|"uid"/);
  });

  test("follow the latest event, whatever its position", () => {
    const events = [
      event({ fixed: { fixedVersion: "2" } }, 20),
      event({ fixed: { fixedVersion: "1" } }, 10),
      event({ componentLocationChanged: {} }, 25),
    ];
    const [{ ranges }] = written({ events }).affected;
    assert.deepEqual(ranges[0].events, [{ introduced: "0" }, { fixed: "2" }]);
  });

  test("of deleted advisories are withdrawn", () => {
    const deleteTime = "2026-02-03T04:05:06.789Z";
    const events = [event({ detection: { manual: {} } })];
    assert.equal(written({ events, deleteTime }).withdrawn, deleteTime);
  });

  test("prefix ids of unregistered databases with x_", () => {
    const given = { advisoryId: "ACME-7", events: [event({ fixed: { fixedVersion: "2" } })] };
    assert.equal(written(given).id, "x_ACME-7");
    assert.equal(osvEntry(advisory(given))?.id, "x_ACME-7");
  });

  test("name each distribution, libraries by their type, and no package for images", () => {
    const events = [event({ fixed: { fixedVersion: "2" } })];
    const packages = (given: JsonObject, publication = PUBLICATION) =>
      written({ events, ...given }, publication).affected.map(
        (one: { package: { ecosystem: string; purl: string } }) => [
          one.package.ecosystem,
          one.package.purl,
        ],
      );
    const both = { ...PUBLICATION, distributions: ["wolfi", "chainguard"] as const };
    assert.deepEqual(packages({}, { ...both, distributions: ["wolfi", "chainguard"] }), [
      ["Wolfi", "pkg:apk/wolfi/openssl"],
      ["Chainguard", "pkg:apk/chainguard/openssl"],
    ]);
    const library = { artifactType: "library", artifactName: "org.acme:lib+x" };
    assert.deepEqual(packages({ ...library, componentType: "java-archive" }), [
      ["Maven", "pkg:maven/org.acme/lib%2Bx"],
    ]);
    const scoped = { artifactType: "npm", artifactName: "@acme/templates" };
    assert.deepEqual(packages(scoped), [["npm", "pkg:npm/%40acme/templates"]]);
    assert.deepEqual(packages({ artifactType: "image", artifactName: "nginx" }), []);
    const released = (artifactType: string, componentLocation: string) =>
      packages({ artifactType, componentLocation });
    assert.deepEqual(
      [
        released("deb", "Ubuntu:24.04:LTS"),
        released("apk", "Alpine:v3.20"),
        released("rpm", "Rocky Linux:9"),
        released("apk", "Ubuntu:24.04:LTS"),
      ].flat(),
      [
        ["Ubuntu:24.04:LTS", "pkg:deb/ubuntu/openssl"],
        ["Alpine:v3.20", "pkg:apk/alpine/openssl"],
        ["Rocky Linux:9", "pkg:rpm/openssl"],
        ["Wolfi", "pkg:apk/wolfi/openssl"],
      ],
    );
  });

  test("name the same vulnerability as alias, and those above a distribution's package as upstream", () => {
    const events = [event({ fixed: { fixedVersion: "2" } })];
    const names = (given: JsonObject) => {
      const { aliases, upstream } = written({ events, ...given });
      return { aliases, upstream };
    };
    const both = ["GHSA-2222-3333-4444", "CVE-2026-1234"];
    for (const artifactType of ["apk", "deb", "rpm"]) {
      assert.deepEqual(names({ artifactType }), { aliases: undefined, upstream: both });
    }
    for (const artifactType of ["npm", "pypi", "image"]) {
      assert.deepEqual(names({ artifactType }), { aliases: both, upstream: undefined });
    }
    const osv = { id: "DSA-1-1", aliases: ["USN-1-1"], upstream: ["CVE-2026-1234"] };
    const aliases = ["DSA-1-1", "USN-1-1", "CVE-2026-1234", "GHSA-2222-3333-4444"];
    assert.deepEqual(names({ artifactType: "deb", aliases, source: { osv } }), {
      aliases: ["USN-1-1"],
      upstream: ["CVE-2026-1234", "GHSA-2222-3333-4444"],
    });
    assert.deepEqual(names({ artifactType: "npm", aliases, source: { osv } }), {
      aliases: ["USN-1-1", "GHSA-2222-3333-4444"],
      upstream: ["CVE-2026-1234"],
    });
  });

  test("say so where events override the affected versions of the source", () => {
    const osv = {
      ...{ id: "GHSA-2222-3333-4444", modified: "2025-02-01T00:00:00Z", summary: "Out of bounds" },
      ...{
        published: "2025-01-01T00:00:00Z",
        details: "A crash.",
        withdrawn: "2025-03-01T00:00:00Z",
      },
      severity: [{ type: "CVSS_V3", score: V3 }],
      affected: [{ package: { ecosystem: "npm", name: "x" }, versions: ["1.0.0"] }],
      references: [{ type: "WEB", url: "https://example.com/1" }],
      database_specific: { cwe_ids: ["CWE-125"] },
    };
    const given = { artifactType: "npm", artifactName: "x", componentType: "npm" };
    const events = [event({ falsePositiveDetermination: { type: 5, note: "Never called." } })];
    const modifyTime = "2025-02-01T00:00:00Z";
    const overridden = written({ ...given, events, source: { osv } });
    assert.deepEqual(overridden.affected[0].ranges[0].events, [
      { introduced: "0" },
      { fixed: "0" },
    ]);
    assert.equal(overridden.withdrawn, undefined);
    assert.equal(overridden.severity, undefined);
    assert.equal(overridden.modified, "2026-02-03T04:05:06.789Z");
    assert.deepEqual(
      [overridden.published, overridden.summary, overridden.details, overridden.references],
      [osv.published, osv.summary, "Never called.\n\nA crash.", osv.references],
    );
    const { source, source_fields, source_overridden } = overridden.database_specific;
    assert.equal(source_overridden, true);
    assert.deepEqual(source_fields, ["published", "references"]);
    const { published: _, references: _references, affected, ...rest } = osv;
    assert.deepEqual(source, rest);
    const [restorable] = overridden.database_specific.wharf;
    assert.deepEqual(restorable.source, { osv: { id: osv.id, affected }, inEffect: false });
    const exact = written({ ...given, events, source: { osv, inEffect: true, modifyTime } });
    for (const name of ["withdrawn", "severity", "affected", "summary", "details"] as const) {
      assert.deepEqual(exact[name], osv[name]);
    }
    assert.equal(exact.modified, "2025-02-01T00:00:00Z");
    const { id, modified, database_specific } = osv;
    assert.deepEqual(exact.database_specific.source, { id, modified, database_specific });
    assert.equal(exact.database_specific.source_overridden, undefined);
  });

  test("are imported without loss", () => {
    const severities = [{ type: "TYPE_CVSS_V3", score: V3 }];
    for (const advisoryId of ["CGA-2222-3333-4444", "ACME-7"]) {
      for (const [type] of KINDS) {
        const given = { advisoryId, severities, events: [event(type, 3), event(type, 4)] };
        const text = JSON.stringify(written(given));
        const read = readDocument(Buffer.from(text), { name: "test" });
        const { advisories } = toJson(AdvisoryDocumentSchema, read) as JsonObject;
        const expected = toJson(AdvisoryDocumentSchema, {
          ...read,
          advisories: [publicPart(advisory(given))],
        }) as JsonObject;
        assert.deepEqual(advisories, expected.advisories);
      }
    }
  });

  test("have the same bytes for the same data", () => {
    const events = [event({ fixed: { fixedVersion: "2" } })];
    assert.equal(JSON.stringify(written({ events })), JSON.stringify(written({ events })));
  });
});
