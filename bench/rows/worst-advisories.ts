import { aliasAt, artifactAt, componentAt } from "../advisory-rows.ts";
import type { Options } from "../options.ts";
import { ORGANIZATION } from "../organization.ts";
import { counted, type Row } from "../row.ts";
import type { Wharf } from "../wharf.ts";
import { type Lists, worstListRow } from "../worst-list.ts";
import { inEveryOrder } from "./worst-groups.ts";

const ADVISORIES = "/vulnerabilities/v2beta1/advisories";

/** Orders of advisories, which have no name. */
const ORDERS = ["uid", "created_at", "updated_at desc"];

/** Texts that none or few of the advisories have. */
const RARE = [
  aliasAt(7).toLowerCase().slice(2),
  artifactAt(77).slice(2),
  `${componentAt(77)}!`,
  "no such text",
];

/** Texts that all have, and that about half of them have: short ones, and long ones. */
const COMMON = ["e", "cve", "cve-2026", "component-"];
const HALF = ["-5", "-0-"];

const FILTERS = [
  `advisoryIds=CGA-${"7".padStart(8, "0")}`,
  `aliases=${aliasAt(7)}`,
  `artifactNames=${artifactAt(7)}`,
  "artifactTypes=apk",
  "artifactArchitectures=aarch64",
  `componentNames=${componentAt(7)}`,
  `componentLocations=/usr/lib/${componentAt(7)}.so`,
  "eventAuthors=scanner",
  "excludeEventAuthors=scanner",
  "eventTypes=EVENT_TYPE_FILTER_FIXED",
  "latestEventType=EVENT_TYPE_FILTER_FIXED",
];

function searches(texts: readonly string[]): string[] {
  return texts.map((text) => `query=${encodeURIComponent(text)}`);
}

/** Imports one more advisory each time. */
function importing(server: Wharf): () => Promise<string> {
  let imported = 0;
  return () => {
    const number = String(imported++).padStart(8, "0");
    const advisory = {
      advisoryId: `CGA-new-${number}`,
      artifactName: `new-${number}`,
      aliases: [`CVE-2027-${number}`],
      events: [{ createTime: "2026-01-01T00:00:00Z", fixed: { fixedVersion: "1.2.4-r0" } }],
    };
    const documents = [{ name: number, advisories: [advisory] }];
    return server.rest(`${ADVISORIES}/${ORGANIZATION}:import`, JSON.stringify({ documents }));
  };
}

/** Lists of advisories by each filter and text. */
export function worstAdvisoryRows({ sizes }: Options): Row[] {
  const count = sizes.large;
  const row = (work: string, atMost: number, queries: readonly string[]): Row =>
    worstListRow({
      work: `${work} among ${counted(count)} advisories`,
      ...{ atMost, data: "advisories", count },
      listsOf: (server): Lists => ({
        lists: inEveryOrder(ADVISORIES, queries, ORDERS),
        whole: { path: `${ADVISORIES}?orderBy=uid` },
        change: importing(server),
      }),
    });
  return [
    row("the worst list by any filter or rare text", 150, [...FILTERS, ...searches(RARE)]),
    row("the worst search for a text that about half have", 500, searches(HALF)),
    row("the worst search for a text that all have", 500, searches(COMMON)),
  ];
}
