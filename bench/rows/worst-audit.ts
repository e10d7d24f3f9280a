import type { Options } from "../options.ts";
import { ORGANIZATION } from "../organization.ts";
import { counted, type Row } from "../row.ts";
import { worstListRow } from "../worst-list.ts";
import { GROUPS, inEveryOrder } from "./worst-groups.ts";

const ENTRIES = "/audit/v2beta1/entries";

/** Filters that many entries of the data set match. */
const COMMON: readonly string[] = [
  `resource=${ORGANIZATION}`,
  `actor=${ORGANIZATION}/${"7".padStart(16, "0")}`,
  "method=Delete*",
  "outcome=AUDIT_OUTCOME_SUCCEEDED",
  "via=rest",
  "since=2026-01-04T00:00:00Z",
];

/** Further ones, some of which match few entries or none. */
const FURTHER: readonly string[] = [
  `resource=${ORGANIZATION}/${"7".padStart(16, "0")}`,
  "method=CreateGroup",
  "method=*Binding*",
  "method=NoSuchMethod",
  "outcome=AUDIT_OUTCOME_DENIED",
  "sourceAddress=192.0.2.7",
  "requestId=request-7",
  "session=session-7",
  "via=grpc",
  "until=2026-01-04T00:00:00Z",
];

function* queriesOf(count: number): Iterable<string> {
  yield "";
  yield `skip=${count >> 1}`;
  for (const filter of [...COMMON, ...FURTHER]) {
    yield `filter.${filter}`;
    yield `filter.${filter}&skip=1000`;
  }
  for (const [at, one] of COMMON.entries()) {
    for (const other of COMMON.slice(at + 1)) yield `filter.${one}&filter.${other}`;
  }
}

/** Lists of audit entries by each filter, and by two common ones together. */
export function worstAuditRow({ sizes }: Options): Row {
  const count = sizes.large;
  return worstListRow({
    work: `the worst list of ${counted(count)} audit entries by any filter`,
    ...{ atMost: 150, data: "audit", count },

    listsOf(server) {
      let created = 0;
      return {
        lists: inEveryOrder(ENTRIES, queriesOf(count), ["time desc", "time"]),
        whole: { path: `${ENTRIES}?orderBy=${encodeURIComponent("time desc")}` },
        // Every change of anything adds an entry.
        change: () => server.rest(GROUPS, JSON.stringify({ name: `organization-${created++}` })),
      };
    },
  });
}
