import { SourceError } from "./errors.ts";
import { linesOf, MAX_LINE_LENGTH } from "./lines.ts";

/** A line of `modified_id.csv`: a record, and when it was modified, in milliseconds. */
export interface ChangedRecord {
  readonly id: string;
  readonly time: number;
}

/** The watermark of the import of an ecosystem: a time, and the imported records of that time. */
export interface SeenRecords {
  readonly time: number;
  readonly ids: readonly string[];
}

/** An ecosystem has some hundred thousand records; longer lists are no lists of records. */
const MAX_RECORDS = 5_000_000;

/** Ids of one time that are remembered; records of a time with more are compared again. */
const MAX_IDS = 2_000;

/**
 * The records that were modified since they were seen, the earliest first. The list is read newest first, up to the first
 * record that is older than those seen.
 */
export async function changedSince(
  chunks: AsyncIterable<Uint8Array>,
  seen: SeenRecords | undefined,
): Promise<ChangedRecord[]> {
  const ids = new Set(seen?.ids);
  const found = new Map<string, ChangedRecord>();
  for await (const record of recordsIn(chunks)) {
    if (seen !== undefined && record.time < seen.time) break;
    const isKnown = seen !== undefined && record.time === seen.time && ids.has(record.id);
    // The first line of a record is its latest.
    if (!isKnown && !found.has(record.id)) found.set(record.id, record);
    if (found.size > MAX_RECORDS) throw new SourceError("TOO_LARGE", "it lists too many records");
  }
  return [...found.values()].sort((a, b) => a.time - b.time);
}

/** The watermark after the import of some records, in order. */
export function seenAfter(
  before: SeenRecords | undefined,
  records: readonly ChangedRecord[],
): SeenRecords | undefined {
  const time = records.at(-1)?.time;
  if (time === undefined) return before;
  const ids = records.filter((one) => one.time === time).map(({ id }) => id);
  const all = before?.time === time ? [...new Set([...before.ids, ...ids])] : ids;
  return { time, ids: all.length > MAX_IDS ? [] : all };
}

async function* recordsIn(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<ChangedRecord> {
  for await (const lines of linesOf(chunks, invalid)) {
    for (const line of lines) if (line !== "") yield recordOf(line);
  }
}

/** Lists of a whole bucket have the ecosystem before the id. */
function recordOf(line: string): ChangedRecord {
  const found = /^([^,]+),"?([^"]+)"?$/.exec(line);
  const time = Date.parse(found?.[1] ?? "");
  const id = found?.[2]?.split("/").at(-1) ?? "";
  if (Number.isNaN(time) || id === "" || line.length > MAX_LINE_LENGTH) throw invalid(line);
  return { id, time };
}

function invalid(line: string): SourceError {
  const start = JSON.stringify(line.slice(0, 80));
  return new SourceError(
    "INVALID_DATA",
    `modified_id.csv has a line without a time and an id: ${start}`,
  );
}
