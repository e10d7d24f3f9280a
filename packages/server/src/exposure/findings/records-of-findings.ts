import type { Reader } from "../../store/db/connection.ts";
import {
  type RecordSummary,
  recordSummaries,
} from "../../store/tables/exposure/records/records.ts";
import type { FindingDetail } from "../assessment/finding.ts";
import type { RecordDetail } from "../records/record.ts";

/** The records that findings are based on, by their ids. */
export type FindingRecords = ReadonlyMap<number, RecordSummary>;

/** A record of a finding that is still stored. */
export interface KnownRecord extends RecordDetail {
  readonly group: string;
  readonly updated: number;
}

/** The records of the findings with these details, as JSON. */
export function readRecords(reader: Reader, details: readonly string[]): Promise<FindingRecords> {
  const ids = [...new Set(details)].flatMap((text) => {
    const { records } = JSON.parse(text) as FindingDetail;
    return records.map(([id]) => id);
  });
  return recordSummaries(reader, ids);
}

/**
 * The records of a finding, those that decide first. A resolved finding may name one that was deleted, whose number
 * another record of any group has now: so the id and the group must be right, too.
 */
export function recordsOf(
  { records }: Pick<FindingDetail, "records">,
  stored: FindingRecords,
  applies: (group: string) => boolean,
): KnownRecord[] {
  return records.flatMap(([number, id]) => {
    const found = stored.get(number);
    if (found === undefined || !applies(found.group)) return [];
    const detail = JSON.parse(found.detail) as RecordDetail;
    return detail.id === id ? [{ ...detail, group: found.group, updated: found.updated }] : [];
  });
}

export function summaryOf(records: readonly KnownRecord[]): string {
  return records.find(({ summary = "" }) => summary !== "")?.summary ?? "";
}
