import { durationMs } from "@bufbuild/protobuf/wkt";
import type { VulnerabilitySource } from "@wharf/client";
import { VulnerabilitySourceKind, VulnerabilitySourceState } from "@wharf/contract";
import { wordOf } from "../exposure/columns.ts";
import { type Column, UID } from "../output/columns.ts";
import { VULNERABILITY_SOURCE } from "../resolve/kinds.ts";
import { withGroup } from "../resource/group-column.ts";
import type { Resource } from "../resource/run.ts";
import type { StyleName } from "../terminal/terminal.ts";

const STYLES: Readonly<Record<number, StyleName>> = {
  [VulnerabilitySourceState.CURRENT]: "green",
  [VulnerabilitySourceState.FAILING]: "yellow",
  [VulnerabilitySourceState.STALE]: "red",
};

const stateOf = ({ status }: VulnerabilitySource) => status?.state ?? 0;

const COLUMNS: readonly Column<VulnerabilitySource>[] = [
  { header: "Name", value: ({ name }) => name },
  { header: "Kind", value: ({ kind }) => wordOf(VulnerabilitySourceKind, kind) },
  {
    header: "State",
    value: (source) => wordOf(VulnerabilitySourceState, stateOf(source)),
    style: (source) => STYLES[stateOf(source)],
  },
  { header: "Data of", value: ({ status }) => status?.dataTime },
  { header: "Imported", value: ({ status }) => status?.lastSuccessTime },
  { header: "Error", value: ({ status }) => status?.error },
  { header: "Ecosystems", value: ({ ecosystems }) => ecosystems, wide: true },
  { header: "Address", value: ({ url }) => url, wide: true },
  UID,
];

const DETAILS: readonly Column<VulnerabilitySource>[] = [
  { header: "Interval", value: ({ interval }) => interval && intervalText(durationMs(interval)) },
  { header: "Token", value: ({ hasToken }) => (hasToken ? "stored" : undefined) },
  { header: "Checksum", value: ({ checksum }) => checksum },
  { header: "Next import", value: ({ status }) => status?.nextAttemptTime },
  { header: "Failing since", value: ({ status }) => status?.failingSince },
  { header: "Failures", value: ({ status }) => status?.failures || undefined },
  { header: "Records read", value: ({ status }) => status?.records },
  { header: "Records changed", value: ({ status }) => status?.changed },
  { header: "Records rejected", value: ({ status }) => status?.rejected },
  {
    header: "Rejections",
    value: ({ status }) => status?.rejections.map(({ name, reason }) => `${name}: ${reason}`),
  },
];

const UNITS = [
  ["d", 86_400_000],
  ["h", 3_600_000],
  ["m", 60_000],
] as const;

/** An interval as options have it: `90m`, `6h`. */
function intervalText(ms: number): string {
  const [unit, size] = UNITS.find(([, one]) => ms % one === 0) ?? ["s", 1_000];
  return `${ms / size}${unit}`;
}

export const resource: Resource<VulnerabilitySource> = {
  kind: VULNERABILITY_SOURCE,
  columns: withGroup(COLUMNS),
  details: [...COLUMNS, ...DETAILS],
};
