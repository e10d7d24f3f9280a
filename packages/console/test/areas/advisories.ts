import assert from "node:assert/strict";
import type { Area } from "../support/area.ts";
import type { ConsoleSite } from "../support/site.ts";

const DAY_MS = 86_400_000;

const time = (daysAgo: number) => new Date(Date.now() - daysAgo * DAY_MS).toISOString();

/** A document to import, with one advisory. */
export const DOCUMENT = `schema-version: 2.0.2
package:
  name: zlib
advisories:
  - id: CGA-2345-6789-cfgh
    aliases: [CVE-2026-99999]
    events:
      - timestamp: 2026-05-06T08:30:00Z
        type: fixed
        data:
          fixed-version: 1.3.2-r0
`;

interface Described {
  readonly id: string;
  readonly aliases: readonly string[];
  readonly artifact: string;
  readonly component?: string;
  readonly events: readonly object[];
}

const DESCRIBED: readonly Described[] = [
  {
    id: "CGA-2222-3333-4444",
    aliases: ["CVE-2026-12345", "GHSA-5c6m-3jqv-4w9x"],
    artifact: "openssl",
    component: "libcrypto3",
    events: [
      {
        createTime: time(9),
        detection: { scanv1: { scanner: "grype", componentVersion: "3.5.0-r1" } },
      },
      {
        createTime: time(7),
        truePositiveDetermination: { note: "Reachable through the TLS handshake of every client." },
      },
      { createTime: time(2), fixed: { fixedVersion: "3.5.1-r0", note: "Backport of the fix." } },
    ],
  },
  {
    id: "CGA-5555-6666-7777",
    aliases: ["CVE-2026-23456"],
    artifact: "nginx",
    events: [
      {
        createTime: time(4),
        falsePositiveDetermination: {
          type: "TYPE_VULNERABLE_CODE_NOT_INCLUDED_IN_PACKAGE",
          note: "Built without the mail module.",
        },
      },
    ],
  },
  {
    id: "CGA-88cc-ffgg-hhjj",
    aliases: ["CVE-2026-34567"],
    artifact: "python-3.14",
    events: [{ createTime: time(1), pendingUpstreamFix: { note: "Reported upstream." } }],
  },
  {
    id: "CGA-mmpp-qqrr-vvww",
    aliases: ["CVE-2026-45678"],
    artifact: "curl",
    events: [{ createTime: time(12), detection: { manual: {} } }],
  },
];

const SCORES: Readonly<Record<string, string>> = {
  "CVE-2026-12345": "CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H",
  "CVE-2026-23456": "CVSS:3.1/AV:L/AC:H/PR:L/UI:R/S:U/C:L/I:N/A:N",
  "CVE-2026-34567": "CVSS:3.1/AV:N/AC:L/PR:L/UI:N/S:U/C:L/I:L/A:N",
};

/** Imports approved advisories, and adds events that wait for a review. */
async function fill({ world: { http } }: ConsoleSite, organization: string) {
  const advisories = DESCRIBED.map(({ id, aliases, artifact, component = artifact, events }) => ({
    advisoryId: id,
    aliases,
    artifactName: artifact,
    artifactType: "apk",
    artifactArchitecture: "x86_64",
    componentName: component,
    componentType: "apk",
    componentLocation: `/lib/apk/${component}`,
    events: events.map((event) => ({ ...event, reviewState: "REVIEW_STATE_APPROVED" })),
  }));
  const vulnerabilities = Object.entries(SCORES).map(([id, score]) => ({
    id,
    updateTime: time(10),
    severities: [{ type: "TYPE_CVSS_V3", score }],
  }));
  const documents = [{ name: "advisories.json", advisories, vulnerabilities }];
  const path = `/vulnerabilities/v2beta1/advisories/${organization}:import`;
  const imported = await http.post(path, { documents });
  assert.deepEqual(imported.body.results?.[0]?.refusals, [], JSON.stringify(imported.body));
  const { body } = await http.get(
    `/vulnerabilities/v2beta1/advisories?uidp.descendants_of=${organization}`,
  );
  const uidOf = (id: string): string =>
    body.advisories.find(({ advisoryId }: { advisoryId: string }) => advisoryId === id).uid;
  for (const [id, event] of [
    [
      "CGA-mmpp-qqrr-vvww",
      { fixed: { fixedVersion: "8.17.0-r2", note: "Verified in the build." } },
    ],
    ["CGA-88cc-ffgg-hhjj", { fixNotPlanned: { note: "End of life in two weeks." } }],
  ] as const) {
    const events = `/vulnerabilities/v1/advisories/${uidOf(id)}/events`;
    const { status } = await http.post(events, { advisoryEvent: event });
    assert.equal(status, 200);
  }
  return {
    organization,
    advisory: uidOf("CGA-2222-3333-4444"),
    pending: uidOf("CGA-mmpp-qqrr-vvww"),
  };
}

export const ADVISORIES: Area = {
  fill,
  screens: {
    advisories: ({ organization }) => `advisories/${organization}`,
    "advisories-filtered": ({ organization }) =>
      `advisories/${organization}?artifact=openssl,curl&query=cve`,
    "advisories-reviews": ({ organization }) => `advisories/${organization}?tab=reviews`,
    "advisories-overview": ({ organization }) => `advisories/${organization}?tab=overview`,
    "advisories-feeds": ({ organization }) => `advisories/${organization}?tab=feeds`,
    "advisories-import": ({ organization }) => `advisories/${organization}?tab=import`,
    advisory: ({ advisory }) => `advisory/${advisory}`,
    "advisory-pending": ({ pending }) => `advisory/${pending}`,
  },
  empty: ["advisories"],
};
