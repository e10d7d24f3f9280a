import { fromBinary } from "@bufbuild/protobuf";
import { messageToJson } from "../../rpc/json.ts";
import type { Reader } from "../../store/db/connection.ts";
import type { Position } from "../../store/resources/query.ts";
import { bodyOf, encodingOf, positionOf, withBody } from "../../store/resources/rows.ts";
import type { ResourceMessage } from "../definition.ts";
import type { Resource } from "../resource.ts";
import { type OrderedRows, type RunScan, readRuns } from "./runs.ts";
import { countRows, readRows } from "./scan.ts";
import type { SkipIndex } from "./skip-index.ts";

/** The rows of a page. In an order of one key, their positions follow from them. */
export type FoundRows = Pick<OrderedRows, "rows"> & Partial<OrderedRows>;

/** The rows of a page, and the total. */
export async function readAndCount<R extends ResourceMessage>(
  resource: Resource<R>,
  reader: Reader,
  skipIndex: SkipIndex,
  scan: RunScan,
): Promise<{ readonly found: FoundRows; readonly totalCount: number }> {
  // The total of one range does not wait for its page.
  const counting = scan.ranges.length === 1 ? countRows(reader, scan) : undefined;
  counting?.catch(() => {});
  const found = await currentRows(resource, reader, skipIndex, scan);
  const counted = await counting;
  // Rows that were created meanwhile can be on the page: then it is counted again.
  const isCounted = counted !== undefined && counted >= found.rows.length;
  return { found, totalCount: isCounted ? counted : await countRows(reader, scan) };
}

/** Where the next page continues: after so many rows; undefined if there are no more. */
export function nextPosition({ rows, positions }: FoundRows, count: number): Position | undefined {
  if (rows.length <= count) return undefined;
  const last = rows[count - 1];
  return positions?.[count - 1] ?? (last && positionOf(last));
}

/** The rows of a list; JSON is made again from the data where rows have an older schema. */
async function currentRows<R extends ResourceMessage>(
  resource: Resource<R>,
  reader: Reader,
  skipIndex: SkipIndex,
  scan: RunScan,
): Promise<FoundRows> {
  const found = await orderedRows(reader, skipIndex, scan);
  if (scan.form === "data" || found.rows.every((row) => encodingOf(row) === resource.encoding))
    return found;
  const { schema } = resource.definition;
  const again = await orderedRows(reader, skipIndex, { ...scan, form: "data" });
  const rows = again.rows.map((row) => {
    return withBody(row, messageToJson(schema, fromBinary(schema, bodyOf(row) as Uint8Array)));
  });
  return { ...again, rows };
}

async function orderedRows(
  reader: Reader,
  skipIndex: SkipIndex,
  scan: RunScan,
): Promise<FoundRows> {
  if (scan.further.length > 0) return readRuns(reader, skipIndex, scan);
  return { rows: await readRows(reader, skipIndex, scan) };
}
