import type { JsonObject } from "@bufbuild/protobuf";
import { picking, randomOf } from "./random-advisories.ts";

const PACKAGES: readonly JsonObject[] = [
  { ecosystem: "npm", name: "@acme/templates", purl: "pkg:npm/%40acme/templates" },
  { ecosystem: "PyPI", name: "Acme_Templates", purl: "pkg:pypi/acme-templates" },
  { ecosystem: "Go", name: "example.com/zip/v2" },
  { ecosystem: "Maven", name: "org.acme:lib", purl: "pkg:maven/org.acme/lib" },
  { ecosystem: "crates.io", name: "zip" },
  { ecosystem: "Debian:12", name: "zlib", purl: "pkg:deb/debian/zlib?arch=source" },
  { ecosystem: "Debian:11", name: "zlib", purl: "pkg:deb/debian/zlib?arch=source" },
  { ecosystem: "Alpine:v3.20", name: "openssl", purl: "pkg:apk/alpine/openssl?arch=source" },
  { ecosystem: "Wolfi", name: "openssl" },
  { ecosystem: "SUSE:Linux Enterprise Server 15 SP5", name: "kernel", purl: "pkg:rpm/suse/kernel" },
];

const REPOS = ["https://example.com/acme.git", "https://example.com/zip.git"];

const V3 = { type: "CVSS_V3", score: "CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H" };
const V4 = {
  type: "CVSS_V4",
  score: "CVSS:4.0/AV:N/AC:L/AT:N/PR:N/UI:N/VC:H/VI:H/VA:H/SC:N/SI:N/SA:N",
};

/** For tests: a random OSV record of another database, with everything that the schema has. */
export function randomOsv(seed: number): JsonObject {
  const random = randomOf(seed);
  const pick = picking(random);
  const maybe = (chance: number, members: () => JsonObject) => (random() < chance ? members() : {});
  const many = <T>(max: number, make: () => T) =>
    Array.from({ length: 1 + Math.floor(random() * max) }, make);
  // The schema excludes both severities of packages and of the record.
  const isRatedByPackage = random() < 0.3;
  const isOfRepository = random() < 0.1;
  const version = () => `${Math.floor(random() * 4)}.${Math.floor(random() * 12)}.${pick(0, 1, 9)}`;
  const commit = () =>
    Math.floor(random() * 4_000)
      .toString(16)
      .padStart(40, "0");

  const events = (bound: () => string): JsonObject[] => {
    // The schema excludes both in one range.
    const end = pick("fixed", "last_affected");
    const bounded = many(4, () => ({ [pick(end, end, "introduced")]: bound() }));
    const start = pick("0", "0", bound());
    // Some generators write `introduced: 0` and `fixed: 0` for "not affected".
    if (random() < 0.1) return [{ introduced: start }, { fixed: start }];
    const limits = random() < 0.2 ? many(2, () => ({ limit: bound() })) : [];
    const all = [{ introduced: start }, ...bounded, ...limits];
    return random() < 0.2 ? all.reverse() : all;
  };
  const commits = (): JsonObject => ({
    ...{ type: "GIT", repo: pick(...REPOS), events: events(commit) },
  });
  const range = (): JsonObject =>
    pick<() => JsonObject>(
      () => ({ type: "SEMVER", events: events(version) }),
      () => ({ type: "ECOSYSTEM", events: events(version) }),
      commits,
    )();
  const affected = (): JsonObject => ({
    ...(random() < (isOfRepository ? 0 : 0.9)
      ? {
          package: pick(...PACKAGES),
          ...maybe(0.8, () => ({ ranges: many(3, range) })),
          ...maybe(0.4, () => ({ versions: [...new Set(many(6, version))] })),
        }
      : { ranges: many(2, commits) }),
    ...maybe(isRatedByPackage ? 0.4 : 0, () => ({ severity: [pick(V3, V4)] })),
    ...maybe(0.3, () => ({ ecosystem_specific: { imports: [{ path: "a", symbols: ["B"] }] } })),
    ...maybe(0.3, () => ({ database_specific: { source: "https://example.com/1", n: 1.5 } })),
  });
  return {
    ...maybe(0.8, () => ({ schema_version: pick("1.4.0", "1.7.3") })),
    id: pick(`GHSA-2222-3333-${seed}`, `DSA-${seed}-1`, `PYSEC-2026-${seed}`),
    modified: pick("2026-03-05T22:10:11.372001Z", "2026-03-05T22:10:11Z"),
    ...maybe(0.8, () => ({ published: pick("2025-01-02T00:00:00Z", "0001-01-01T00:00:00Z") })),
    ...maybe(0.2, () => ({
      withdrawn: pick("2026-01-01T00:00:00Z", "2026-04-01T00:00:00Z", "0001-01-01T00:00:00Z"),
    })),
    ...maybe(0.7, () => ({ aliases: many(2, () => `CVE-2026-${pick(1000, 2000, 3000)}`) })),
    ...maybe(0.4, () => ({ upstream: many(3, () => `CVE-2025-${pick(1000, 2000, 3000)}`) })),
    ...maybe(0.4, () => ({ related: ["CVE-2024-1000"] })),
    ...maybe(0.7, () => ({ summary: "Cross-site scripting" })),
    ...maybe(0.7, () => ({ details: "Values are not escaped.\n\n* `a`" })),
    ...maybe(isRatedByPackage ? 0 : 0.6, () => ({ severity: [V3, V4] })),
    affected: many(5, affected),
    ...maybe(0.6, () => ({ references: [{ type: "WEB", url: "https://example.com/acme" }] })),
    ...maybe(0.4, () => ({
      credits: [{ name: "Ada", contact: ["https://a.example"], type: "FINDER" }],
    })),
    ...maybe(0.4, () => ({ database_specific: { cwe_ids: ["CWE-79"], github_reviewed: true } })),
  };
}
