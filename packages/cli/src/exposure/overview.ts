import type { Exposure, ExposureDay } from "@wharf/client";
import { FindingSeverity } from "@wharf/contract";
import type { Context } from "../context.ts";
import type { Column } from "../output/columns.ts";
import { severityWord } from "./columns.ts";

const COLUMNS: readonly Column<Exposure>[] = [
  { header: "Images", value: ({ images }) => images },
  { header: "Affected images", value: ({ imagesAffected }) => imagesAffected },
  ...[
    FindingSeverity.CRITICAL,
    FindingSeverity.HIGH,
    FindingSeverity.MEDIUM,
    FindingSeverity.LOW,
  ].map(severityColumn),
  { header: "Suppressed", value: ({ suppressed }) => suppressed },
  {
    header: "Images without packages",
    value: ({ imagesWithoutPackages }) => imagesWithoutPackages,
  },
  {
    header: "Images with refused documents",
    value: ({ imagesWithRefusedDocuments }) => imagesWithRefusedDocuments,
  },
  { header: "Images being read", value: ({ imagesWaiting }) => imagesWaiting },
  {
    header: "Median days to fix",
    value: ({ daysToFix }) => (daysToFix === 0 ? undefined : daysToFix.toFixed(1)),
  },
  { header: "Matched until", value: ({ matchTime }) => matchTime },
  { header: "Open findings by day", value: ({ days }) => sparkline(days) },
];

/** Open findings of a severity: `12 (9 with a fix)`. */
function severityColumn(severity: FindingSeverity): Column<Exposure> {
  const word = severityWord(severity);
  return {
    header: `${word[0]?.toUpperCase()}${word.slice(1)} findings`,
    value({ severities }) {
      const found = severities.find((one) => one.severity === severity);
      if (found === undefined) return 0;
      return found.open === 0n ? 0 : `${found.open} (${found.fixable} with a fix)`;
    },
  };
}

const BARS = ["▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"] as const;

/** Bars for the open findings of each day, and the numbers at both ends. */
export function sparkline(days: readonly Pick<ExposureDay, "severities">[]): string {
  const totals = days.map(({ severities }) =>
    severities.reduce((sum, { open }) => sum + Number(open), 0),
  );
  if (totals.length === 0) return "";
  const most = Math.max(...totals, 1);
  const bars = totals.map((total) => BARS[Math.round((total / most) * (BARS.length - 1))]);
  return `${totals[0]} ${bars.join("")} ${totals.at(-1)}`;
}

/** Prints the numbers as a sheet, or in the requested format. */
export function printOverview(context: Context, numbers: Exposure): Promise<void> {
  return context.out.one(numbers, COLUMNS, { id: () => "" });
}
