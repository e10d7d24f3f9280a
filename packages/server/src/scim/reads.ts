import {
  type NumberedRow,
  type ScimRow,
  type ScimTable,
  scimGroups,
  scimUsers,
} from "../store/tables/scim/resources.ts";
import type { HttpRequest } from "../wire/endpoint.ts";
import { badRequest, resourceNotFound } from "./protocol/errors.ts";
import { parseFilter, type ScimFilter } from "./protocol/filter.ts";
import { type ProjectionParameters, projectionOf, showsRelation } from "./protocol/projection.ts";
import { type Rendering, toResources } from "./protocol/representation.ts";
import type { ScimKind } from "./protocol/schemas.ts";
import type { Json } from "./protocol/values.ts";
import { endpointUrl, type ScimDeps } from "./status.ts";

const LIST_SCHEMA = "urn:ietf:params:scim:api:messages:2.0:ListResponse";

export const MAX_RESULTS = 200;
const DEFAULT_RESULTS = 100;

/** Rows per batch; other requests run between batches. */
const BATCH_SIZE = 100;

/** The request that something is read for. */
type Requester = Pick<HttpRequest, "abandoned" | "signal" | "remoteAddress">;

/** The read context of one provider's requests: they share the slices of lists, and the costly reads. */
function renderingOf(
  deps: ScimDeps,
  provider: string,
  requester: Requester,
  base: string,
): Rendering {
  const { store, lists } = deps;
  const origin = new ProviderRead(provider, requester);
  const reader = store.readerFor(origin);
  return { reader, base, task: lists.task(origin, requester) };
}

/** The reader of a request, and its cancellation. The signal is created on first use. */
class ProviderRead {
  readonly caller: { readonly uid: string };
  readonly remoteAddress: string;
  readonly #requester: Requester;

  constructor(provider: string, requester: Requester) {
    this.caller = { uid: provider };
    this.remoteAddress = requester.remoteAddress;
    this.#requester = requester;
  }

  get signal(): AbortSignal {
    return this.#requester.signal;
  }
}

export function tableOf(kind: ScimKind): ScimTable {
  return kind.name === "User" ? scimUsers : scimGroups;
}

export function projectionParametersOf(query: URLSearchParams): ProjectionParameters {
  return {
    attributes: query.get("attributes"),
    excludedAttributes: query.get("excludedAttributes"),
  };
}

/** Renders one resource. */
export async function present(
  deps: ScimDeps,
  kind: ScimKind,
  row: ScimRow,
  projection: ProjectionParameters,
  requester: Requester,
): Promise<Json> {
  const { provider } = row;
  const rendering = renderingOf(deps, provider, requester, endpointUrl(deps, provider));
  const [one] = await toResources(rendering, kind, [row], showsRelation(kind, projection));
  return projectionOf(kind, projection)(one as Json);
}

export async function findOne(
  deps: ScimDeps,
  kind: ScimKind,
  provider: string,
  id: string,
): Promise<ScimRow> {
  const row = await tableOf(kind).find(deps.store.reader, provider, id);
  if (row === undefined) throw resourceNotFound(kind.name, id);
  return row;
}

/** A page of the matching resources, in order of creation. */
export async function list(
  deps: ScimDeps,
  kind: ScimKind,
  provider: string,
  query: URLSearchParams,
  requester: Requester,
): Promise<Json> {
  const startIndex = Math.max(1, integer(query, "startIndex") ?? 1);
  const count = Math.min(MAX_RESULTS, Math.max(0, integer(query, "count") ?? DEFAULT_RESULTS));
  const text = query.get("filter");
  const window = { offset: startIndex - 1, limit: count };
  const rendering = renderingOf(deps, provider, requester, endpointUrl(deps, provider));
  const { total, rows } = text
    ? await filtered(rendering, kind, provider, parseFilter(kind, text), window)
    : await everything(rendering, kind, provider, window);
  const projection = projectionParametersOf(query);
  const resources = await toResources(rendering, kind, rows, showsRelation(kind, projection));
  return {
    schemas: [LIST_SCHEMA],
    totalResults: total,
    startIndex,
    itemsPerPage: rows.length,
    Resources: resources.map(projectionOf(kind, projection)),
  };
}

function integer(query: URLSearchParams, name: string): number | undefined {
  const text = query.get(name);
  if (text === null || text === "") return undefined;
  if (/^-?\d{1,9}$/.test(text)) return Number(text);
  throw badRequest("invalidValue", `${name} must be a number`);
}

interface Window {
  readonly offset: number;
  readonly limit: number;
}

interface Found {
  readonly total: number;
  readonly rows: readonly ScimRow[];
}

async function everything(
  { reader }: Rendering,
  kind: ScimKind,
  provider: string,
  { offset, limit }: Window,
): Promise<Found> {
  return tableOf(kind).page(reader, provider, offset, limit);
}

async function filtered(
  rendering: Rendering,
  kind: ScimKind,
  provider: string,
  filter: ScimFilter,
  { offset, limit }: Window,
): Promise<Found> {
  const rows: ScimRow[] = [];
  let total = 0;
  for await (const batch of candidates(rendering, kind, provider, filter)) {
    const resources = await toResources(rendering, kind, batch, filter.usesRelation);
    for (const [at, resource] of resources.entries()) {
      await rendering.task.pause();
      if (!filter.matches(resource)) continue;
      if (total >= offset && rows.length < limit) rows.push(batch[at] as ScimRow);
      total += 1;
    }
  }
  return { total, rows };
}

/** All rows that a filter may match, in batches. */
async function* candidates(
  { reader }: Rendering,
  kind: ScimKind,
  provider: string,
  { indexLookup }: ScimFilter,
): AsyncGenerator<NumberedRow[]> {
  const table = tableOf(kind);
  if (indexLookup !== undefined) {
    yield await table.where(reader, provider, indexLookup.key, indexLookup.value);
    return;
  }
  for (let afterId = -1; ; ) {
    const rows = await table.after(reader, provider, afterId, BATCH_SIZE);
    yield rows;
    const last = rows.at(-1);
    if (last === undefined || rows.length < BATCH_SIZE) return;
    afterId = last.id;
  }
}
