import {
  type DescMessage,
  type DescMethod,
  fromBinary,
  type Message,
  toBinary,
} from "@bufbuild/protobuf";
import { BinaryWriter, WireType } from "@bufbuild/protobuf/wire";
import { accessOf, type Capability, type UIDPFilter } from "@wharf/contract";
import { invalidArgument } from "../lib/errors.ts";
import type { SlicedTask } from "../lib/time-slices.ts";
import type { Call, Handler, Reply } from "../rpc/call.ts";
import { messageToJson } from "../rpc/json.ts";
import type { Reader } from "../store/db/connection.ts";
import type { Bound, Condition, Range, TreeRange } from "../store/resources/query.ts";
import { partitionRanges } from "../store/resources/range-counts.ts";
import {
  bodyOf,
  type Encodings,
  encodingOf,
  type Form,
  type PageRow,
  positionOf,
  withBody,
} from "../store/resources/rows.ts";
import type { ResourceMessage } from "./definition.ts";
import type { Engine } from "./engine.ts";
import { readFilters } from "./filters.ts";
import { countMany } from "./many-ranges.ts";
import { parseOrder } from "./order.ts";
import type { Cursor } from "./page-token.ts";
import { rangesFor } from "./ranges.ts";
import type { Resource } from "./resource.ts";
import { countRows, readRows, type Scan } from "./scan.ts";

const DEFAULT_PAGE_SIZE = 50;
const MAX_PAGE_SIZE = 200;

/**
 * What the rows of a page come to at most, in bytes or characters: clients of gRPC take no message of
 * more than 4 MiB unless told to, and a page has a little beside its rows.
 */
const MAX_PAGE_BYTES = 4 * 1024 * 1024 - 16 * 1024;

/** The most that the contract's field can say. */
const MAX_INT32 = 2 ** 31 - 1;

/** The fields that every list request has, whatever their numbers. */
type ListRequest = Message & {
  uidp?: UIDPFilter;
  pageSize: number;
  pageToken: string;
  orderBy: string;
  skip: number;
};

/** A row as JSON or in binary. */
type Body = Encodings[Form];

/** Everything about a page but its rows. */
interface Envelope {
  readonly nextPageToken: string;
  readonly totalCount: number;
  readonly skipped: number;
}

/**
 * The one implementation of every List method.
 *
 * @example handlers.set("ListGroups", listMethod(groups, method, engine));
 */
export function listMethod<R extends ResourceMessage>(
  resource: Resource<R>,
  method: DescMethod,
  engine: Engine,
): Handler {
  const { definition, table, tree: kind } = resource;
  const { index = {} } = definition;
  const rule = accessOf(method);
  const capabilities: readonly Capability[] =
    rule && "capabilities" in rule ? rule.capabilities : [];
  const sortKeys = [
    ...(kind.uidIsParent ? ["group"] : []),
    "uid",
    ...(named(definition.schema) ? ["name"] : []),
    "created_at",
    "updated_at",
  ];
  const fallback = index.defaultOrder ?? { column: "uid", descending: false };
  const defaultOrder = typeof fallback === "function" ? fallback : () => fallback;
  const hydrates = definition.hydrate !== undefined;

  return async (call, message) => {
    const request = message as ListRequest;
    const pageSize = pageSizeOf(request.pageSize);
    const skip = readSkip(request.skip);
    const order = parseOrder(request.orderBy, defaultOrder(request), sortKeys);
    const filters = readFilters(resource, method, request);
    const parts = index.partitions?.requested(request) ?? [];
    const queryText = JSON.stringify([method.name, uidpKey(request.uidp), filters, order, parts]);
    const cursor = readCursor(engine, queryText, request.pageToken, call.time);
    const { reader } = engine.store;
    const reach = call.caller.grants.reach(capabilities);
    const settledFilters = await settled(reader, resource, filters);
    const asked = index.resolve
      ? await index.resolve(reader, settledFilters, reach)
      : settledFilters;
    const stretches = rangesFor(kind, reach, request.uidp);
    const { found, totalCount } = await engine.lists.run(call, stretches.length, async (task) => {
      const ranges = index.partitions
        ? await inParts(reader, resource, stretches, parts, task)
        : stretches;
      const scan: Scan = {
        table,
        ...(await countMany(reader, table, ranges, task)),
        filters: asked,
        order,
        start: cursor && { ...cursor.position, inclusive: false },
        skip,
        limit: pageSize + 1,
        form: hydrates || call.format === "binary" ? "data" : "json",
        task,
      };
      const rows = await currentRows(resource, engine, scan);
      return { found: rows, totalCount: await countRows(reader, scan) };
    });
    const stored = fitting(found.slice(0, pageSize).map(bodyOf));
    const bodies = hydrates ? fitting(await hydrated(resource, engine, call, stored)) : stored;
    const skipped = Math.min((cursor?.skipped ?? 0) + skip, MAX_INT32);
    const last = found[bodies.length - 1];
    const more = found.length > bodies.length;
    const next = more && last ? { position: positionOf(last), skipped } : undefined;
    const envelope: Envelope = {
      nextPageToken: next ? engine.pageTokens.seal(queryText, next, call.time) : "",
      totalCount,
      skipped,
    };
    return pageReply(method, envelope, bodies);
  };
}

function named(schema: DescMessage): boolean {
  return schema.fields.some((field) => field.localName === "name");
}

/**
 * How many rows a page has that was asked for with this size.
 *
 * @example pageSizeOf(0) // 50
 */
export function pageSizeOf(given: number): number {
  if (given < 0) {
    throw invalidArgument({ field: "pageSize", description: "pageSize must not be negative" });
  }
  return given === 0 ? DEFAULT_PAGE_SIZE : Math.min(given, MAX_PAGE_SIZE);
}

function readSkip(given: number): number {
  if (given < 0) throw invalidArgument({ field: "skip", description: "skip must not be negative" });
  return given;
}

/**
 * Ends a list of what has changed with the latest change there is now, before anything else of it is
 * read. It is read in several steps, and others write in between: a change that a later step sees must
 * not hide one, of an earlier time, that an earlier step could not see yet.
 */
async function settled<R extends ResourceMessage>(
  reader: Reader,
  { definition, table }: Resource<R>,
  filters: readonly Condition[],
): Promise<readonly Condition[]> {
  if (!definition.index?.monotonicUpdateTime || !filters.some(isOfUpdates)) return filters;
  const until = await table.latestUpdate(reader);
  return filters.map((one) => (isOfUpdates(one) ? { ...one, until } : one));
}

function isOfUpdates(condition: Condition): condition is Bound {
  return "after" in condition && condition.column === "updated";
}

async function inParts<R extends ResourceMessage>(
  reader: Reader,
  { table }: Resource<R>,
  stretches: readonly TreeRange[],
  parts: readonly number[],
  task: SlicedTask,
): Promise<Range[]> {
  const ranges: Range[] = [];
  for (const stretch of stretches) {
    ranges.push(...(await partitionRanges(reader, table, stretch, parts)));
    await task.pause();
  }
  return ranges;
}

function uidpKey(filter: UIDPFilter | undefined): unknown {
  const {
    ancestorsOf = "",
    descendantsOf = "",
    childrenOf = "",
    inRoot = false,
    ids = [],
  } = filter ?? {};
  return [ancestorsOf, descendantsOf, childrenOf, inRoot, ids];
}

/**
 * Where a page token of this query leads; undefined for the beginning.
 *
 * @example const cursor = readCursor(engine, query, request.pageToken, call.time);
 */
export function readCursor(
  engine: Engine,
  query: string,
  token: string,
  now: number,
): Cursor | undefined {
  if (token === "") return undefined;
  const opened = engine.pageTokens.open(query, token, now);
  if (opened === "expired") return undefined;
  if (opened === "foreign") {
    throw invalidArgument({
      field: "pageToken",
      description: "pageToken does not belong to this query",
    });
  }
  return opened.cursor;
}

/** The rows of a list; read again from the data where some were written in an older shape. */
async function currentRows<R extends ResourceMessage>(
  resource: Resource<R>,
  { store: { reader }, skipIndex }: Engine,
  scan: Scan,
): Promise<PageRow[]> {
  const rows = await readRows(reader, skipIndex, scan);
  if (scan.form === "data" || rows.every((row) => encodingOf(row) === resource.encoding))
    return rows;
  const { schema } = resource.definition;
  const again = await readRows(reader, skipIndex, { ...scan, form: "data" });
  return again.map((row) => {
    return withBody(row, messageToJson(schema, fromBinary(schema, bodyOf(row) as Uint8Array)));
  });
}

/** As many of the first as fit into one page, and one at least: what is longer alone is shown alone. */
function fitting(bodies: readonly Body[]): readonly Body[] {
  let size = 0;
  const end = bodies.findIndex((body, at) => {
    size += body.length;
    return size > MAX_PAGE_BYTES && at > 0;
  });
  return end < 0 ? bodies : bodies.slice(0, end);
}

/** Rows with what is kept elsewhere, in the form that was asked for. */
async function hydrated<R extends ResourceMessage>(
  { definition: { schema, hydrate } }: Resource<R>,
  engine: Engine,
  { format }: Call,
  stored: readonly Body[],
): Promise<Body[]> {
  const all = stored.map((body) => fromBinary(schema, body as Uint8Array));
  await hydrate?.(engine.store.reader, all, engine.catalog);
  return all.map((one) => (format === "json" ? messageToJson(schema, one) : toBinary(schema, one)));
}

/**
 * Puts rows that are already encoded into a list response. Every list response has the rows as
 * field 1, the token as 2, the total as 3 and the skipped as 4.
 */
function pageReply(
  method: DescMethod,
  { nextPageToken, totalCount, skipped }: Envelope,
  bodies: readonly Body[],
): Reply {
  const plural = method.output.fields[0]?.jsonName;
  return {
    json: () =>
      `{"${plural}":[${bodies.join(",")}],"nextPageToken":"${nextPageToken}",` +
      `"totalCount":"${totalCount}","skipped":${skipped}}`,
    binary: () => {
      const writer = new BinaryWriter();
      for (const body of bodies) writer.tag(1, WireType.LengthDelimited).bytes(body as Uint8Array);
      if (nextPageToken !== "") writer.tag(2, WireType.LengthDelimited).string(nextPageToken);
      writer.tag(3, WireType.Varint).int64(totalCount);
      if (skipped !== 0) writer.tag(4, WireType.Varint).int32(skipped);
      return writer.finish();
    },
  };
}
