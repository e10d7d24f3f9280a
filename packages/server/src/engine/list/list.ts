import { type DescMethod, fromBinary, type Message } from "@bufbuild/protobuf";
import { accessOf, type Capability, type UIDPFilter } from "@wharf/contract";
import { invalidArgument } from "../../lib/errors.ts";
import type { SlicedTask } from "../../lib/scheduling/time-slices.ts";
import { type Handler, onlyReads } from "../../rpc/call.ts";
import { messageToJson } from "../../rpc/json.ts";
import type { Reader } from "../../store/db/connection.ts";
import { type ListPage, readList } from "../../store/resources/list.ts";
import type { ListQuery, Range, TreeRange } from "../../store/resources/query.ts";
import { partitionRanges } from "../../store/resources/range-counts.ts";
import { bodyOf, encodingOf, type Form, positionOf, withBody } from "../../store/resources/rows.ts";
import type { ResourceMessage } from "../definition.ts";
import type { Resource } from "../resource.ts";
import { readFilters } from "./filters.ts";
import { hydratedRows } from "./hydrated-rows.ts";
import type { ListDeps, Lists } from "./lists.ts";
import { parseOrder, type SortKeys } from "./order.ts";
import { type Envelope, fitting, pageReply } from "./page-reply.ts";
import type { Cursor } from "./page-token.ts";
import { rangesFor } from "./ranges.ts";

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
  { store, catalog, lists }: ListDeps,
): Handler {
  const { definition, tree } = resource;
  const { index = {} } = definition;
  const rule = accessOf(method);
  const capabilities: readonly Capability[] =
    rule && "capabilities" in rule ? rule.capabilities : [];
  const sortKeys = sortKeysOf(resource);
  const fallback = index.defaultOrder ?? { column: "uid", descending: false };
  const defaultOrder = typeof fallback === "function" ? fallback : () => fallback;
  const hydrates = definition.hydrate !== undefined;
  const { pageBytes, manyRanges } = lists.limits;

  return onlyReads(async (call, message) => {
    const request = message as ListRequest;
    const pageSize = pageSizeOf(request.pageSize);
    const skip = readSkip(request.skip);
    const { order, secondary } = parseOrder(request.orderBy, defaultOrder(request), sortKeys);
    const filters = readFilters(resource, method, request);
    const partitions = index.partitions?.requested(request) ?? [];
    const queryText = JSON.stringify([
      method.name,
      uidpKey(request.uidp),
      filters,
      order,
      partitions,
      ...secondary,
    ]);
    const cursor = readCursor(lists, queryText, request.pageToken, call.time);
    const reach = call.caller.grants.reach(capabilities);
    const subtrees = rangesFor(tree, reach, request.uidp);

    const reader = store.readerFor(call);
    const { found, bodies } = await lists.run(call, subtrees.length, async (task) => {
      const ranges = index.partitions
        ? await rangesInPartitions(reader, resource, subtrees, partitions, manyRanges, task)
        : subtrees;
      const query: ListQuery = {
        ranges,
        filters: index.resolve ? await index.resolve(reader, filters, reach) : filters,
        ...{ order, secondary },
        start: cursor && { ...cursor.position, inclusive: false },
        offset: skip,
        limit: pageSize + 1,
        manyRanges,
      };
      const form = hydrates || call.format === "binary" ? "data" : "json";
      const found = await currentRows(resource, reader, query, form);
      const stored = fitting(found.rows.slice(0, pageSize).map(bodyOf), pageBytes);
      if (!hydrates) return { found, bodies: stored };
      const hydrated = await hydratedRows(resource, catalog, reader, call.format, stored, task);
      return { found, bodies: fitting(hydrated, pageBytes) };
    });
    const skipped = Math.min((cursor?.skipped ?? 0) + skip, MAX_INT32);
    const last = found.rows.length > bodies.length ? found.rows[bodies.length - 1] : undefined;
    const envelope: Envelope = {
      nextPageToken: last
        ? lists.pageTokens.seal(
            queryText,
            { position: positionOf(last, secondary.length), skipped },
            call.time,
          )
        : "",
      totalCount: found.total,
      skipped,
    };
    return pageReply(method, envelope, bodies);
  });
}

/** Reads a list; JSON is made again from the data where rows have an older schema. */
async function currentRows<R extends ResourceMessage>(
  { definition: { schema }, encoding, table }: Resource<R>,
  reader: Reader,
  query: ListQuery,
  form: Form,
): Promise<ListPage> {
  const page = await readList(reader, table, query, form);
  if (form === "data" || page.rows.every((row) => encodingOf(row) === encoding)) return page;
  const again = await readList(reader, table, query, "data");
  const rows = again.rows.map((row) =>
    withBody(row, messageToJson(schema, fromBinary(schema, bodyOf(row) as Uint8Array))),
  );
  return { ...again, rows };
}

/** Sort keys of the lists of a resource. */
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
export function pageSizeOf(requested: number): number {
  if (requested < 0) {
    throw invalidArgument({ field: "pageSize", description: "pageSize must not be negative" });
  }
  return requested === 0 ? DEFAULT_PAGE_SIZE : Math.min(requested, MAX_PAGE_SIZE);
}

/** The rows to skip that a request asks for. */
export function readSkip(requested: number): number {
  if (requested < 0)
    throw invalidArgument({ field: "skip", description: "skip must not be negative" });
  return requested;
}

/** The ranges of each requested partition; of many subtrees, all partitions are read together. */
async function rangesInPartitions<R extends ResourceMessage>(
  reader: Reader,
  { table }: Resource<R>,
  subtrees: readonly TreeRange[],
  partitions: readonly number[],
  manyRanges: number,
  task: SlicedTask,
): Promise<Range[]> {
  if (subtrees.length > manyRanges) return subtrees.map((one) => ({ ...one, partitions }));
  const ranges: Range[] = [];
  for (const subtree of subtrees) {
    ranges.push(...(await partitionRanges(reader, table, subtree, partitions)));
    await task.pause();
  }
  return ranges;
}

/** The cursor in a page token of this query; undefined for the first page. */
export function readCursor(
  { pageTokens }: Lists,
  query: string,
  token: string,
  now: number,
): Cursor | undefined {
  if (token === "") return undefined;
  const opened = pageTokens.open(query, token, now);
  if (opened === "expired") return undefined;
  if (opened === "foreign") {
    throw invalidArgument({
      field: "pageToken",
      description: "pageToken does not belong to this query",
    });
  }
  return opened.cursor;
}

/** Distinguishes `uidp` filters. */
function uidpKey(filter: UIDPFilter | undefined): unknown {
  const { ancestorsOf, descendantsOf, childrenOf, inRoot, ids } = filter ?? {};
  return [ancestorsOf ?? "", descendantsOf ?? "", childrenOf ?? "", inRoot ?? false, ids ?? []];
}
