import { fromBinary } from "@bufbuild/protobuf";
import { messageToJson } from "../../rpc/json.ts";
import type { Reader } from "../../store/db/connection.ts";
import type { Position } from "../../store/resources/query.ts";
import { bodyOf, encodingOf, positionOf, totalOf, withBody } from "../../store/resources/rows.ts";
import type { ResourceMessage } from "../definition.ts";
import type { Resource } from "../resource.ts";
import { type OrderedRows, type RunScan, readRuns } from "./runs.ts";
import { countRows, isCountedByRows, readRows } from "./scan.ts";
import type { SkipIndex } from "./skip-index.ts";

/** The rows of a page. In an order of one key, their positions follow from them. */
export type FoundRows = Pick<OrderedRows, "rows"> & Partial<OrderedRows>;

/** The rows of a page, and the total: of one range without filters, both are read by one statement. */
export async function readAndCount<R extends ResourceMessage>(
  resource: Resource<R>,
  reader: Reader,
  skipIndex: SkipIndex,
  scan: RunScan,
  isRepeated = false,
): Promise<{ readonly found: FoundRows; readonly totalCount: number }> {
  const isCounted = scan.further.length === 0 && isCountedByRows(scan);
  // The total of one range does not wait for its page.
  const counting = scan.ranges.length === 1 && !isCounted ? countRows(reader, scan) : undefined;
  counting?.catch(() => {});
  const found = await currentRows(resource, reader, skipIndex, scan);
  const [first] = found.rows;
  const known = isCounted && first !== undefined ? totalOf(first) : await counting;
  // Rows that were created meanwhile can be on the page: then it is counted again.
  if (known !== undefined && known >= found.rows.length) return { found, totalCount: known };
  const totalCount = await countRows(reader, scan);
  // An empty page has no total: rows may have been created after it was read.
  const isOutdated = isCounted && totalCount > 0 && scan.start === undefined && scan.skip === 0;
  if (isOutdated && !isRepeated) return readAndCount(resource, reader, skipIndex, scan, true);
  return { found, totalCount };
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
