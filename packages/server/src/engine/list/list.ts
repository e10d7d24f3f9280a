/**
 * This folder implements List for all resources: filters, visible ranges, order, cursor, page and total. It may import
 * engine/visible/, the definitions in engine/, and everything below engine/, but not the writes.
 */
import type { DescMethod, Message } from "@bufbuild/protobuf";
import { accessOf, type Capability, type UIDPFilter } from "@wharf/contract";
import { invalidArgument } from "../../lib/errors.ts";
import type { SlicedTask } from "../../lib/scheduling/time-slices.ts";
import { type Call, type Handler, onlyReads } from "../../rpc/call.ts";
import { maxStalenessOf } from "../../rpc/staleness.ts";
import type { Reader } from "../../store/db/connection.ts";
import type { Bound, Condition, Range, TreeRange } from "../../store/resources/query.ts";
import { partitionRanges } from "../../store/resources/range-counts.ts";
import { bodyOf } from "../../store/resources/rows.ts";
import type { ResourceMessage } from "../definition.ts";
import type { Engine } from "../engine.ts";
import type { Resource } from "../resource.ts";
import { filterKey } from "../visible/range-set.ts";
import { readFilters } from "./filters.ts";
import { type FoundRows, nextPosition, readAndCount } from "./found-rows.ts";
import { hydratedRows } from "./hydrated-rows.ts";
import { parseOrder, type SortKeys } from "./order.ts";
import { type Body, type Envelope, fitting, pageReply } from "./page-reply.ts";
import type { Cursor } from "./page-token.ts";
import type { Scan } from "./scan.ts";
import type { SkipIndex } from "./skip-index.ts";

const DEFAULT_PAGE_SIZE = 50;
const MAX_PAGE_SIZE = 200;

const MAX_INT32 = 2 ** 31 - 1;

/** The fields that every list request has. */
type ListRequest = Message & {
  uidp?: UIDPFilter;
  pageSize: number;
  pageToken: string;
  orderBy: string;
  skip: number;
};

/** The generic List method. */
export function listMethod<R extends ResourceMessage>(
  resource: Resource<R>,
  method: DescMethod,
  engine: Engine,
): Handler {
  const { definition, table, tree } = resource;
  const { index = {} } = definition;
  const rule = accessOf(method);
  const capabilities: readonly Capability[] =
    rule && "capabilities" in rule ? rule.capabilities : [];
  const sortKeys = sortKeysOf(resource);
  const fallback = index.defaultOrder ?? { column: "uid", descending: false };
  const defaultOrder = typeof fallback === "function" ? fallback : () => fallback;
  const hydrates = definition.hydrate !== undefined;
  const { catalog } = engine;
  const { pageBytes } = engine.limits;

  return onlyReads(async (call, message) => {
    const request = message as ListRequest;
    const pageSize = pageSizeOf(request.pageSize);
    const skip = readSkip(request.skip);
    const { order, further } = parseOrder(request.orderBy, defaultOrder(request), sortKeys);
    const filters = readFilters(resource, method, request);
    const partitions = index.partitions?.requested(request) ?? [];
    const queryText = JSON.stringify([
      method.name,
      filterKey(request.uidp),
      filters,
      order,
      partitions,
      ...further,
    ]);
    const cursor = readCursor(engine, queryText, request.pageToken, call.time);
    // Version 1 reads as many pages as it needs.
    const maxStaleness = call.method === method ? maxStalenessOf(call) : undefined;
    const reach = call.caller.grants.reach(capabilities);
    const { uid } = call.caller;
    const { ranges: subtrees, set } = engine.rangeSets.of(tree, reach, request.uidp, uid);
    // Partitions have counts and orders of their own.
    const many =
      set === undefined || index.partitions ? undefined : { set, rows: engine.visibleRows };

    const readPage = async ({ reader, skipIndex }: ListSource): Promise<Page> => {
      const bounded = await boundUpdates(reader, resource, filters);
      const asked = index.resolve ? await index.resolve(reader, bounded, reach) : bounded;
      const isPrepared = many?.rows.isPrepared({
        table,
        set: many.set,
        filters: asked,
        column: order.column,
      });
      const costly = isPrepared ? 0 : subtrees.length;
      return engine.lists.run(call, costly, async (task) => {
        const ranges = index.partitions
          ? await rangesInPartitions(reader, resource, subtrees, partitions, task)
          : subtrees;
        const scan: Scan = {
          table,
          ranges,
          many,
          filters: asked,
          order,
          start: cursor && { ...cursor.position, inclusive: false },
          skip,
          limit: pageSize + 1,
          form: hydrates || call.format === "binary" ? "data" : "json",
          listIndexes: engine.listIndexes,
          search: await engine.textSearches.for(call, resource, asked, ranges),
          task,
        };
        const { runRows: maxRunRows } = engine.limits;
        const after = cursor?.position;
        const runScan = { ...scan, further, maxRunRows, after };
        const { found, totalCount } = await readAndCount(resource, reader, skipIndex, runScan);
        const stored = fitting(found.rows.slice(0, pageSize).map(bodyOf), pageBytes);
        if (!hydrates) return { found, totalCount, bodies: stored };
        const hydrated = await hydratedRows(resource, catalog, reader, call.format, stored, task);
        return { found, totalCount, bodies: fitting(hydrated, pageBytes) };
      });
    };

    // What is kept of lists over many ranges has the version of the primary.
    const stale =
      maxStaleness === undefined || many !== undefined
        ? undefined
        : await tryStandby(engine, call, maxStaleness, readPage);
    const current = { reader: engine.store.readerFor(call), skipIndex: engine.skipIndex };
    const { found, totalCount, bodies } = stale ?? (await readPage(current));
    const skipped = Math.min((cursor?.skipped ?? 0) + skip, MAX_INT32);
    const position = nextPosition(found, bodies.length);
    const next = position && { position, skipped };
    const envelope: Envelope = {
      nextPageToken: next ? engine.pageTokens.seal(queryText, next, call.time) : "",
      totalCount,
      skipped,
    };
    return pageReply(method, envelope, bodies);
  });
}

/** The rows of a page, in the format of its response, and the total. */
interface Page {
  readonly found: FoundRows;
  readonly totalCount: number;
  readonly bodies: readonly Body[];
}

/** Where a list is read from. */
interface ListSource {
  readonly reader: Reader;
  readonly skipIndex: SkipIndex;
}

/** Reads a list from the standby, if there is one that is current enough; otherwise undefined. */
async function tryStandby<T>(
  { store, standbySkipIndex: skipIndex }: Engine,
  call: Call,
  maxMs: number,
  read: (source: ListSource) => Promise<T>,
): Promise<T | undefined> {
  const stale = await store.standby?.tryRead(call, maxMs, (reader) => read({ reader, skipIndex }));
  if (stale !== undefined) call.markStaleness?.(stale.stalenessMs);
  return stale?.result;
}

/** What a list can be ordered by. */
function sortKeysOf<R extends ResourceMessage>({ definition, tree }: Resource<R>): SortKeys {
  const isNamed = definition.schema.fields.some((field) => field.localName === "name");
  const columns = [
    ...(tree.uidIsParent ? ["group"] : []),
    "uid",
    ...(isNamed ? ["name"] : []),
    "created_at",
    "updated_at",
  ];
  return { columns, terms: definition.index?.termOrders };
}

/** The page size for the one that a request asks for; 0 asks for the default. */
export function pageSizeOf(given: number): number {
  if (given < 0) {
    throw invalidArgument({ field: "pageSize", description: "pageSize must not be negative" });
  }
  return given === 0 ? DEFAULT_PAGE_SIZE : Math.min(given, MAX_PAGE_SIZE);
}

/** The rows to skip that a request asks for. */
export function readSkip(given: number): number {
  if (given < 0) throw invalidArgument({ field: "skip", description: "skip must not be negative" });
  return given;
}

/**
 * Bounds a list of updates by the latest update at its start. The list is read by several statements
 * without a snapshot: an update that a later statement sees must not hide an earlier one that an earlier
 * statement could not see yet, since clients continue after the last update of a page.
 */
async function boundUpdates<R extends ResourceMessage>(
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

async function rangesInPartitions<R extends ResourceMessage>(
  reader: Reader,
  { table }: Resource<R>,
  subtrees: readonly TreeRange[],
  partitions: readonly number[],
  task: SlicedTask,
): Promise<Range[]> {
  const ranges: Range[] = [];
  for (const subtree of subtrees) {
    ranges.push(...(await partitionRanges(reader, table, subtree, partitions)));
    await task.pause();
  }
  return ranges;
}

/** The cursor in a page token of this query; undefined for the first page. */
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
