export const V3 = "CVSS:3.1/AV:N/AC:L/PR:N/UI:R/S:C/C:L/I:L/A:N";
export const V4 = "CVSS:4.0/AV:N/AC:L/AT:N/PR:N/UI:P/VC:N/VI:N/VA:N/SC:L/SI:L/SA:N";

/** For tests: a record with ranges of all types, several packages and an entry without package. */
export const GHSA = {
  schema_version: "1.7.3",
  id: "GHSA-4x9r-j582-cgr8",
  modified: "2026-03-05T22:10:11.372001Z",
  published: "2026-03-01T09:00:00Z",
  aliases: ["CVE-2026-20333"],
  related: ["CVE-2026-20334"],
  summary: "Cross-site scripting in a template helper",
  details: "Values of `data-` attributes are not escaped.",
  severity: [
    { type: "CVSS_V3", score: V3 },
    { type: "CVSS_V4", score: V4 },
    { type: "Ubuntu", score: "high" },
  ],
  affected: [
    {
      package: { ecosystem: "npm", name: "@acme/templates", purl: "pkg:npm/%40acme/templates" },
      ranges: [{ type: "SEMVER", events: [{ introduced: "0" }, { fixed: "4.2.1" }] }],
      database_specific: { last_known_affected_version_range: "<= 4.2.0" },
    },
    {
      package: { ecosystem: "npm", name: "@acme/templates", purl: "pkg:npm/%40acme/templates" },
      ranges: [{ type: "SEMVER", events: [{ introduced: "5.0.0" }, { fixed: "5.0.3" }] }],
    },
    {
      package: { ecosystem: "PyPI", name: "acme-templates" },
      versions: ["1.0", "1.1"],
      ranges: [
        { type: "GIT", repo: "https://example.com/acme.git", events: [{ introduced: "0" }] },
        { type: "ECOSYSTEM", events: [{ introduced: "0" }, { last_affected: "1.1" }] },
      ],
    },
    {
      ranges: [
        { type: "GIT", repo: "https://example.com/acme.git", events: [{ introduced: "0" }] },
      ],
    },
  ],
  references: [{ type: "WEB", url: "https://example.com/acme" }],
  database_specific: { github_reviewed: true, cwe_ids: ["CWE-79"] },
};
