import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { JsonObject } from "@bufbuild/protobuf";
import type { Advisory } from "@wharf/contract/messages";
import { GHSA } from "../../test/osv-samples.ts";
import { advisory, EACH_KIND, event, KINDS, PUBLICATION, V3 } from "../../test/samples.ts";
import { assertValid } from "../../test/schemas.ts";
import { readDocument } from "../read/index.ts";
import { csafDocument } from "./csaf.ts";
import { csafId, csafPath, packageOfCsafId } from "./csaf-file.ts";
import { csafChanges } from "./csaf-provider.ts";

// biome-ignore lint/suspicious/noExplicitAny: tests inspect arbitrary parts of it.
function written(advisories: readonly Advisory[], publication = PUBLICATION): any {
  const document = csafDocument(advisories, publication);
  assertValid("csaf", document);
  return document;
}

describe("CSAF documents", () => {
  test("are valid, and have the status of each vulnerability", () => {
    const document = written(EACH_KIND);
    const statuses = document.vulnerabilities.map(
      (one: { product_status: object }) => Object.keys(one.product_status)[0],
    );
    const names: Record<string, string> = {
      affected: "known_affected",
      not_affected: "known_not_affected",
    };
    assert.deepEqual(
      statuses,
      KINDS.map(([, status]) => names[status] ?? status),
    );
    assert.deepEqual(document.vulnerabilities[4].scores[0].cvss_v3, {
      version: "3.1",
      vectorString: V3,
      baseScore: 9.8,
      baseSeverity: "CRITICAL",
    });
    assert.equal(document.vulnerabilities[2].scores, undefined);
    assert.equal(document.vulnerabilities[2].flags[0].label, "vulnerable_code_not_in_execute_path");
  });

  test("have each vulnerability once, and one status for each product", () => {
    const clear = { falsePositiveDetermination: {} };
    const status = (
      ...said: [type: object, componentLocation: string, componentName?: string][]
    ) => {
      const document = written(
        said.map(([type, componentLocation, componentName = "libcrypto3"], at) =>
          advisory({
            ...{ advisoryId: `CGA-${at}`, componentLocation, componentName },
            events: [event(type as JsonObject)],
          }),
        ),
      );
      assert.equal(document.vulnerabilities.length, 1, "6.1.23");
      return document.vulnerabilities[0].product_status;
    };
    const [one, other] = [
      "pkg:apk/wolfi/openssl?arch=x86_64",
      "pkg:apk/wolfi/openssl@2?arch=x86_64",
    ];
    assert.deepEqual(status([{ detection: { manual: {} } }, "/b"], [clear, "/b"], [clear, "/a"]), {
      under_investigation: [`${one} pkg:apk/wolfi/libcrypto3 at /b`],
    });
    assert.deepEqual(status([{ fixed: { fixedVersion: "2" } }, "/a"], [clear, "/a", "libssl3"]), {
      fixed: [`${other} pkg:apk/wolfi/libcrypto3 at /a`],
    });
    assert.deepEqual(status([clear, "/a"], [clear, "/b"]), {
      known_not_affected: ["/a", "/b"].map((at) => `${one} pkg:apk/wolfi/libcrypto3 at ${at}`),
    });
  });

  test("omit deleted advisories, and do not exist without advisories", () => {
    const deleted = { deleteTime: "2026-03-01T00:00:00Z", updateTime: "2026-03-01T00:00:00Z" };
    const gone = advisory({ ...deleted, events: [event({ fixed: { fixedVersion: "2" } })] });
    assert.equal(csafDocument([gone], PUBLICATION), undefined);
    const hidden = advisory({ events: [event({ fixed: { fixedVersion: "2" } }, 1, "PENDING")] });
    assert.equal(csafDocument([hidden], PUBLICATION), undefined);
    const document = written([gone, ...EACH_KIND.slice(0, 1)]);
    assert.equal(document.vulnerabilities.length, 1);
    assert.equal(document.document.tracking.current_release_date, "2026-03-01T00:00:00.000Z");
  });

  test("have the date of a fix or investigation", () => {
    const date = (at: number, list: "remediations" | "threats") => {
      const [{ category, date, product_ids }] = written(EACH_KIND).vulnerabilities[at][list];
      return [category, date, product_ids];
    };
    assert.deepEqual(date(4, "remediations").slice(0, 2), [
      "vendor_fix",
      "2026-01-05T00:00:00.123Z",
    ]);
    assert.deepEqual(date(0, "threats").slice(0, 2), ["impact", "2026-01-01T00:00:00.123Z"]);
  });

  test("name the advisory of each product if several share a vulnerability", () => {
    const on = (advisoryId: string, artifactArchitecture: string, ...aliases: string[]) => {
      const events = [event({ fixed: { fixedVersion: "2" } })];
      return advisory({
        advisoryId,
        artifactArchitecture,
        aliases: ["CVE-2026-1", ...aliases],
        events,
      });
    };
    const document = written([on("CGA-a", "x86_64"), on("ACME-b", "aarch64", "GHSA-1")]);
    type Helped = { product_identification_helper: { x_generic_uris: { uri: string }[] } };
    const uris = document.product_tree.relationships.map(
      ({ full_product_name: one }: { full_product_name: Helped }) =>
        one.product_identification_helper.x_generic_uris.map(({ uri }) => uri.split("/").at(-1)),
    );
    assert.deepEqual(uris, [["x_ACME-b.json"], ["CGA-a.json"]]);
    const { advisories } = readDocument(Buffer.from(JSON.stringify(document)), { name: "test" });
    assert.deepEqual(
      advisories.map((one) => [one.advisoryId, one.artifactArchitecture, one.aliases]),
      [
        ["ACME-b", "aarch64", ["CVE-2026-1", "GHSA-1"]],
        ["CGA-a", "x86_64", ["CVE-2026-1"]],
      ],
    );
  });

  test("clear single products only, and keep them when imported", () => {
    const purl = `pkg:oci/app@sha256:${"0a".repeat(32)}?repository_url=ghcr.io%2Facme%2Fapp`;
    const about = { artifactType: "image", artifactName: "ghcr.io/acme/app", componentName: "" };
    const events = [
      event({ truePositiveDetermination: { note: "real" } }, 1),
      event({ falsePositiveDetermination: { type: 5 }, products: [purl] }, 2),
    ];
    const document = written([advisory({ ...about, componentLocation: "", events })]);
    const whole = "pkg:oci/app?arch=amd64&repository_url=ghcr.io%2Facme%2Fapp";
    assert.deepEqual(document.vulnerabilities[0].product_status, {
      known_affected: [whole],
      known_not_affected: [purl.replace("acme%2Fapp", "acme"), purl],
    });
    const [first, ...others] = readDocument(Buffer.from(JSON.stringify(document)), {
      name: "test",
    }).advisories;
    const all = [first, ...others].flatMap((one) => one?.events ?? []);
    assert.deepEqual(
      all.map(({ products }) => products),
      [[whole], [purl]],
    );
  });

  test("are TLP:WHITE only if the group is public", () => {
    const label = (isPublic: boolean) =>
      written(EACH_KIND, { ...PUBLICATION, isPublic }).document.distribution.tlp.label;
    assert.deepEqual([label(true), label(false)], ["WHITE", "AMBER"]);
  });

  test("have one revision for all events before 1970", () => {
    const old = (day: number) => ({
      ...event({ detection: { manual: {} } }),
      createTime: `1960-01-0${day}T00:00:00Z`,
    });
    const { tracking } = written([advisory({ events: [old(1), old(2)] })]).document;
    const numbers = tracking.revision_history.map((one: { number: string }) => one.number);
    assert.equal(new Set(numbers).size, numbers.length, "6.1.22");
  });

  test("were first released with their earliest event, and keep that date when imported", () => {
    const events = [event({ fixed: { fixedVersion: "2" } }, 1)];
    const stored = advisory({ createTime: "2026-06-01T00:00:00Z", events });
    const document = written([stored]);
    const { tracking, references } = document.document;
    assert.equal(tracking.initial_release_date, "2026-01-01T00:00:00.123Z");
    assert.equal(tracking.revision_history[0].date, tracking.initial_release_date);
    assert.match(references[0].url, /\/csaf\/2026\//);
    tracking.initial_release_date = "2019-05-06T07:08:09Z";
    const bytes = Buffer.from(JSON.stringify(document));
    const [imported] = readDocument(bytes, { name: "test" }).advisories;
    const again = written([imported ?? assert.fail()]).document;
    assert.equal(again.tracking.initial_release_date, "2019-05-06T07:08:09.000Z");
    assert.match(again.references[0].url, /\/csaf\/2019\//);
  });

  test("of an imported OSV record were first released with the record", () => {
    const bytes = Buffer.from(JSON.stringify(GHSA));
    const [imported] = readDocument(bytes, { name: "test" }).advisories;
    const { tracking } = written([imported ?? assert.fail()]).document;
    assert.equal(Date.parse(tracking.initial_release_date), Date.parse(GHSA.published));
    assert.equal(tracking.revision_history[0].date, tracking.initial_release_date);
  });

  test("can be imported", () => {
    const text = JSON.stringify(written(EACH_KIND));
    assert.ok(readDocument(Buffer.from(text), { name: "test" }).advisories.length > 0);
  });

  test("have paths with the year and the package", () => {
    for (const name of ["openssl", "gtk+3.0", "a_b", "A.B", "ä/ö", "a+2eb"]) {
      const key = { type: "apk", name };
      assert.match(csafId(key), /^[+\-a-z0-9]+$/);
      assert.deepEqual(packageOfCsafId(csafId(key)), key);
    }
    const dashed = { type: "go-module", name: "x-y" };
    assert.deepEqual(packageOfCsafId(csafId(dashed)), dashed);
    for (const wrong of ["", "openssl", "apk-+4", "apk-+61", "apk-A"]) {
      assert.equal(packageOfCsafId(wrong), undefined);
    }
    const key = { type: "apk", name: "openssl" };
    assert.equal(csafPath(key, Date.UTC(2025, 11, 31)), "2025/apk-openssl.json");
    const times = (last: number) => ({ first: 0, last });
    assert.equal(
      csafChanges([
        { key, times: times(1) },
        { key: { type: "apk", name: "zlib" }, times: times(2) },
      ]),
      '"1970/apk-zlib.json","1970-01-01T00:00:00.002Z"\n"1970/apk-openssl.json","1970-01-01T00:00:00.001Z"\n',
    );
  });
});
