import type { JsonObject } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { ownOsvId } from "@wharf/advisories/publish";
import { accessOf } from "@wharf/contract";
import { argosOsvV1, argosVulnsV1 } from "@wharf/contract/v1";
import { pageSizeOf, readCursor } from "../../engine/list/list.ts";
import type { ListDeps } from "../../engine/list/lists.ts";
import { queryText } from "../../exposure/findings/page.ts";
import { type AnswerDeps, answerBatch, answerQuery } from "../../exposure/osv/answers.ts";
import { VisibleDocuments } from "../../exposure/osv/documents.ts";
import { matchedIds } from "../../exposure/osv/matched-ids.ts";
import { readQuery } from "../../exposure/osv/query.ts";
import { invalidArgument, notFound, tooMany, WharfError } from "../../lib/errors.ts";
import { KeyedSemaphore } from "../../lib/scheduling/semaphore.ts";
import type { Call } from "../../rpc/call.ts";
import { mustBeUid } from "../../rpc/validate.ts";
import { countRecordIds, recordIds } from "../../store/tables/exposure/records/record-ids.ts";
import type { NamingDeps } from "../../vulnerabilities/naming.ts";
import { type AdaptedMethod, respondWith } from "../adapter.ts";
import { recordOf } from "./osv-records.ts";

const { ArgosOSV } = argosOsvV1;
const { ArgosVulns } = argosVulnsV1;

export interface ArgosDeps extends ListDeps, NamingDeps {}

/** Queries take up to seconds, and a share of the event loop. */
const CONCURRENCY = { total: 8, perKey: 4, maxQueued: 64, maxWaitMs: 10_000 };

/** The queries of OSV, under the names of the public contract. */
export function argosMethods(deps: ArgosDeps): AdaptedMethod[] {
  const rejection = () => tooMany("too many concurrent OSV queries: try again later");
  const semaphore = new KeyedSemaphore({ ...CONCURRENCY, rejection });
  const run = <T>(call: Call, work: () => Promise<T>) => semaphore.run(call.caller.uid, work);
  const { query, queryBatch, getVuln } = ArgosOSV.method;
  return [
    respondWith(query, {}, (request, call) =>
      run(call, async () => {
        const answer = await answerQuery(
          answerDeps(deps, call, scopesOf(call)),
          toQuery(request, ""),
        );
        return responseOf(answer);
      }),
    ),
    respondWith(queryBatch, {}, ({ queries }, call) =>
      run(call, async () => {
        const read = queries.map((one, at) => toQuery(one, `queries[${at}].`));
        const answer = await answerBatch(answerDeps(deps, call, scopesOf(call)), read);
        return { results: (answer as Batch).results.map(resultOf) };
      }),
    ),
    respondWith(getVuln, {}, ({ id }, call) =>
      run(call, async () => {
        const [document] = await new VisibleDocuments(deps, scopesOf(call)).withIds([id], true);
        if (document === undefined) throw notFound("Vulnerability", id);
        return recordOf(document);
      }),
    ),
    respondWith(ArgosVulns.method.batchGet, {}, (request, call) =>
      run(call, () => batchGet(deps, request, call)),
    ),
    respondWith(ArgosVulns.method.listForOrg, {}, (request, call) =>
      run(call, () => listForOrg(deps, request, call)),
    ),
  ];
}

/** The scopes at which the caller has the capabilities of the method; everywhere if undefined. */
export function scopesOf(call: Call): readonly string[] | undefined {
  const rule = accessOf(call.method);
  if (rule === undefined || !("capabilities" in rule))
    throw new Error(`${call.method} has no rule`);
  const reach = call.caller.grants.reach(rule.capabilities);
  return "scopes" in reach ? reach.scopes : undefined;
}

function answerDeps(
  deps: ArgosDeps,
  call: Call,
  scopes: readonly string[] | undefined,
): AnswerDeps {
  return {
    reader: deps.store.reader,
    pageTokens: deps.lists.pageTokens,
    documents: new VisibleDocuments(deps, scopes),
    ...{ scopes, now: call.time },
  };
}

/** Errors of OSV's own API name no field. */
function toQuery(request: argosOsvV1.OSVQueryRequest, prefix: string) {
  const { version, pageToken, package: named } = request;
  const { ecosystem = "", name = "", purl = "" } = named ?? {};
  try {
    return readQuery({ version, page_token: pageToken, package: { ecosystem, name, purl } });
  } catch (error) {
    if (!(error instanceof WharfError)) throw error;
    throw invalidArgument({ field: `${prefix}package`, description: error.message });
  }
}

interface Answer {
  readonly vulns?: readonly JsonObject[];
  readonly next_page_token?: string;
}

interface Batch {
  readonly results: readonly {
    readonly vulns?: readonly { readonly id: string; readonly modified: string }[];
    readonly next_page_token?: string;
  }[];
}

function responseOf({ vulns = [], next_page_token: nextPageToken = "" }: Answer) {
  return { vulns: vulns.map(recordOf), nextPageToken };
}

function resultOf({ vulns = [], next_page_token: nextPageToken = "" }: Batch["results"][number]) {
  const minimal = vulns.map(({ id, modified }) => {
    return { id, modified: timestampFromMs(Date.parse(modified)) };
  });
  return { vulns: minimal, nextPageToken };
}

/** A page of records by their ids, in the order of the request. */
async function batchGet(deps: ArgosDeps, request: argosVulnsV1.BatchGetVulnsRequest, call: Call) {
  mustBeUid("parent", request.parent);
  const ids = [...new Set(request.cgpIds)];
  return pageOfIds(deps, request, call, ids);
}

async function pageOfIds(
  deps: ArgosDeps,
  request: argosVulnsV1.BatchGetVulnsRequest | argosVulnsV1.ListOrgVulnsRequest,
  call: Call,
  ids: readonly string[],
) {
  const limit = pageSizeOf(request.pageSize);
  const query = queryText(call.method.name, request);
  const start = readCursor(deps.lists, query, request.pageToken, call.time)?.position.id ?? 0;
  const end = Math.min(start + limit, ids.length);
  const documents = new VisibleDocuments(deps, [request.parent]);
  const next = { position: { key: "", id: end }, skipped: 0 };
  return {
    vulns: (await documents.withIds(ids.slice(start, end))).map(recordOf),
    nextPageToken: end < ids.length ? deps.lists.pageTokens.seal(query, next, call.time) : "",
    totalCount: BigInt(ids.length),
  };
}

async function listForOrg(deps: ArgosDeps, request: argosVulnsV1.ListOrgVulnsRequest, call: Call) {
  const { parent, version } = request;
  mustBeUid("parent", parent);
  if (request.package !== "") {
    const [ecosystem = "", ...name] = request.package.split("/");
    const { queried } = readNamed(ecosystem, name.join("/"), version);
    const [ids = []] = await matchedIds(deps.store.reader, [queried], [parent]);
    return pageOfIds(deps, request, call, ids);
  }
  if (version !== "") {
    const description = "version needs a package";
    throw invalidArgument({ field: "version", description });
  }
  return allOf(deps, request, call);
}

function readNamed(ecosystem: string, name: string, version: string) {
  if (ecosystem === "" || name === "") {
    const description = "package must be an ecosystem and a name, such as npm/left-pad";
    throw invalidArgument({ field: "package", description });
  }
  return readQuery({ version, package: { ecosystem, name } });
}

async function allOf(deps: ArgosDeps, request: argosVulnsV1.ListOrgVulnsRequest, call: Call) {
  const { lists, store } = deps;
  const reader = store.readerFor(call);
  const costly = reader.costly ?? reader;
  const scopes = [request.parent];
  const limit = pageSizeOf(request.pageSize);
  const query = queryText(call.method.name, request);
  const cursor = readCursor(lists, query, request.pageToken, call.time);
  const after = String(cursor?.position.key ?? "");
  const found = await recordIds(costly, { scopes, after, limit: limit + 1 });
  const page = found.slice(0, limit);
  const last = found.length > limit ? page.at(-1) : undefined;
  const next = last && { position: { key: last, id: 0 }, skipped: 0 };
  const ids = [...new Set(page.map(documentId))];
  return {
    vulns: (await new VisibleDocuments(deps, scopes).withIds(ids)).map(recordOf),
    nextPageToken: next ? lists.pageTokens.seal(query, next, call.time) : "",
    totalCount: BigInt(await countRecordIds(costly, scopes)),
  };
}

/** The id of the document of a record, from what is stored of it. */
export function documentId(detail: string): string {
  const { id } = JSON.parse(detail) as { id: string };
  return ownOsvId({ advisoryId: id });
}
