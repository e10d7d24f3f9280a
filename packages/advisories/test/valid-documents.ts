import type { Advisory } from "@wharf/contract/messages";
import { csafDocument, openVexDocument, osvDocument, packageOf } from "../src/publish/index.ts";
import { readDocument } from "../src/read/index.ts";
import { stored } from "./kept-sources.ts";
import { GHSA } from "./osv-samples.ts";
import { randomAdvisories } from "./random-advisories.ts";
import { PUBLICATION } from "./samples.ts";

/** A distribution document in YAML, as it is written by hand. */
export const DISTRO = `schema-version: 2.0.2

package:
  name: curl # the origin

advisories:
  - id: CGA-2q5g-x3vm-7r9c
    aliases:
      - CVE-2026-1
      - "GHSA-2jw5-hcfr-4pqm"
    events:
      - timestamp: 2026-01-01T00:00:00Z
        type: detection
        data:
          type: scan/v1
          data: {subpackageName: libcurl4, componentName: nghttp2, componentVersion: 1.64.0-r0, scanner: grype}
      - timestamp: 2026-01-02T00:00:00Z
        type: pending-upstream-fix
        data:
          note: |
            Several
            lines.
      - timestamp: 2026-01-03T00:00:00Z
        type: fixed
        data:
          fixed-version: 8.11.1-r0
  - id: CVE-2026-3
    events:
      - timestamp: 2026-01-01T00:00:00Z
        type: false-positive-determination
        data: {type: inline-mitigations-exist, note: 'quoted: "so"'}
`;

const OSV = {
  schema_version: "1.6.0",
  id: "GHSA-2222-3333-4444",
  modified: "2026-01-01T00:00:00Z",
  aliases: ["CVE-2026-1"],
  severity: [{ type: "CVSS_V3", score: "CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H" }],
  affected: [
    {
      package: { ecosystem: "Alpine:v3.20", name: "curl", purl: "pkg:apk/alpine/curl" },
      ranges: [{ type: "ECOSYSTEM", events: [{ introduced: "0" }, { fixed: "8.11.1-r0" }] }],
      versions: ["1", "2"],
    },
  ],
};

const CSAF = {
  document: {
    category: "csaf_vex",
    csaf_version: "2.0",
    publisher: { name: "acme" },
    tracking: { current_release_date: "2026-01-01T00:00:00Z", status: "final" },
  },
  product_tree: {
    branches: [
      {
        category: "product_name",
        name: "app",
        branches: [
          { category: "product_version", name: "1", product: { name: "app 1", product_id: "A" } },
        ],
      },
    ],
    full_product_names: [
      {
        name: "image",
        product_id: "I",
        product_identification_helper: { purl: "pkg:oci/i?repository_url=a.b/i" },
      },
    ],
    relationships: [
      {
        category: "default_component_of",
        product_reference: "A",
        relates_to_product_reference: "I",
        full_product_name: { name: "app in image", product_id: "A-I" },
      },
    ],
    product_groups: [{ group_id: "G", product_ids: ["A", "I"] }],
  },
  vulnerabilities: [
    {
      cve: "CVE-2026-1",
      ids: [{ system_name: "x", text: "GHSA-2222-3333-4444" }],
      product_status: { known_affected: ["A-I"], known_not_affected: ["A", "I"] },
      flags: [{ label: "component_not_present", group_ids: ["G"], date: "2026-01-01T00:00:00Z" }],
      remediations: [{ category: "vendor_fix", details: "do", product_ids: ["A-I"] }],
      scores: [{ cvss_v3: { vectorString: "CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H" } }],
    },
  ],
};

const CYCLONEDX = {
  bomFormat: "CycloneDX",
  specVersion: "1.5",
  metadata: {
    timestamp: "2026-01-01T00:00:00Z",
    authors: [{ name: "Acme" }],
    component: { "bom-ref": "i", name: "i", purl: "pkg:oci/i?repository_url=a.b/i" },
  },
  components: [
    { "bom-ref": "a", group: "g", name: "a", components: [{ "bom-ref": "b", name: "b" }] },
  ],
  vulnerabilities: [
    {
      id: "CVE-2026-1",
      references: [{ id: "GHSA-2222-3333-4444" }],
      ratings: [{ method: "CVSSv31", vector: "AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H" }],
      analysis: { state: "not_affected", justification: "code_not_reachable", detail: "so" },
      affects: [{ ref: "a", versions: [{ version: "1", status: "unaffected" }] }, { ref: "i" }],
    },
    {
      id: "CVE-2026-2",
      analysis: { state: "exploitable", response: ["update"], lastUpdated: "2026-01-01T00:00:00Z" },
      affects: [{ ref: "urn:cdx:x/1#pkg:npm/a" }],
    },
  ],
};

/** For tests: valid documents of every format, as trees. */
export async function validDocuments(): Promise<unknown[]> {
  const all = randomAdvisories(3, 30);
  const packages = Map.groupBy(all, (one) => JSON.stringify(packageOf(one)));
  const vex: string[] = await Array.fromAsync(openVexDocument(all, "https://a.b", PUBLICATION));
  const csaf = [...packages.values()].map((about: readonly Advisory[]) =>
    csafDocument(about, PUBLICATION),
  );
  const osv = all.slice(0, 3).map((one) => osvDocument([one], PUBLICATION));
  const read = readDocument(Buffer.from(JSON.stringify(GHSA)), { name: "record" });
  const record = osvDocument(stored(read), PUBLICATION);
  const published = [JSON.parse(vex.join("")), ...csaf.slice(0, 3), ...osv, record];
  return [OSV, CSAF, CYCLONEDX, ...published].filter(Boolean);
}
