import { create } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { type ScanReport, ScanReportSchema, SeverityCountSchema } from "@wharf/contract";
import type { ScanReportHead } from "../../store/tables/exposure/findings/scan-reports.ts";
import { vulnerabilitiesOf } from "./scanned.ts";

export function toScanReport(row: ScanReportHead): ScanReport {
  const { digest, scanner, version, databaseTime, time, author, authorName, size } = row;
  const all = vulnerabilitiesOf(row);
  const bySeverity = Map.groupBy(all, ({ severity }) => severity);
  return create(ScanReportSchema, {
    ...{ digest, scanner, author, authorName },
    scannerVersion: version,
    ...(databaseTime > 0 && { databaseTime: timestampFromMs(databaseTime) }),
    createTime: timestampFromMs(time),
    severities: [...bySeverity]
      .sort(([a], [b]) => b - a)
      .map(([severity, some]) =>
        create(SeverityCountSchema, {
          severity,
          open: BigInt(some.length),
          vulnerabilities: BigInt(new Set(some.map(({ id }) => id)).size),
          fixable: BigInt(some.filter(({ fixed }) => fixed.length > 0).length),
        }),
      ),
    size: BigInt(size),
  });
}
