import type { PageTokens } from "../../engine/list/page-token.ts";
import { notFound, tooMany, WharfError } from "../../lib/errors.ts";
import { clientNetwork } from "../../lib/net/client-network.ts";
import { KeyedSemaphore } from "../../lib/scheduling/semaphore.ts";
import { advisoryScopes, type FeedAccess } from "../../vulnerabilities/feeds/access.ts";
import type { HttpEndpoint, HttpRequest, HttpResponse } from "../../wire/endpoint.ts";
import { type AnswerDeps, answerBatch, answerQuery } from "./answers.ts";
import { VisibleDocuments } from "./documents.ts";
import { invalidQuery, osvError } from "./errors.ts";
import { fieldsOf, readQuery } from "./query.ts";

const VULNS = "/v1/vulns/";

/** A thousand queries with long package URLs. */
const MAX_BODY_BYTES = 4 * 1024 * 1024;

const MAX_QUERIES = 1_000;

/** A batch takes up to some seconds, and a share of the event loop. */
const CONCURRENCY = { total: 8, perKey: 4, maxQueued: 64, maxWaitMs: 10_000 };

const RETRY_AFTER_SECONDS = 5;

type Answer = (deps: AnswerDeps, request: HttpRequest) => Promise<object>;

export type OsvDeps = FeedAccess & { readonly lists: { readonly pageTokens: PageTokens } };

/** The API of osv.dev over the advisories that a caller may list: clients of it need only another address. */
export function osvEndpoints(deps: OsvDeps): HttpEndpoint[] {
  const rejection = () =>
    tooMany("too many concurrent OSV queries: try again later", RETRY_AFTER_SECONDS);
  const semaphore = new KeyedSemaphore({ ...CONCURRENCY, rejection });
  const handle = (answer: Answer) => async (request: HttpRequest) => {
    try {
      const network = clientNetwork(request.remoteAddress);
      return await semaphore.run(network, () => respond(deps, request, answer));
    } catch (error) {
      return osvError(error);
    }
  };
  return [
    { method: "POST", path: "/v1/query", handle: handle(query) },
    { method: "POST", path: "/v1/querybatch", handle: handle(queryBatch) },
    { method: "GET", path: VULNS, prefix: true, handle: handle(getVulnerability) },
  ];
}

async function respond(deps: OsvDeps, request: HttpRequest, answer: Answer): Promise<HttpResponse> {
  if (request.abandoned !== undefined) throw request.abandoned;
  const scopes = await advisoryScopes(deps, request.headers.authorization);
  const documents = new VisibleDocuments(deps, scopes);
  const { pageTokens } = deps.lists;
  const { reader } = deps.store;
  const found = await answer({ reader, pageTokens, documents, scopes, now: Date.now() }, request);
  return {
    status: 200,
    headers: { "content-type": "application/json", "cache-control": "no-store" },
    body: JSON.stringify(found),
  };
}

async function query(deps: AnswerDeps, request: HttpRequest): Promise<object> {
  return answerQuery(deps, readQuery(await readBody(request)));
}

async function queryBatch(deps: AnswerDeps, request: HttpRequest): Promise<object> {
  const { queries = [] } = fieldsOf(await readBody(request), "the body");
  if (!Array.isArray(queries)) throw invalidQuery("queries must be a list");
  if (queries.length > MAX_QUERIES) {
    throw invalidQuery(`there are ${queries.length} queries; the maximum is ${MAX_QUERIES}`);
  }
  return answerBatch(deps, queries.map(readNumbered));
}

function readNumbered(body: unknown, number: number) {
  try {
    return readQuery(body);
  } catch (error) {
    if (error instanceof WharfError) throw invalidQuery(`queries[${number}]: ${error.message}`);
    throw error;
  }
}

async function getVulnerability({ documents }: AnswerDeps, request: HttpRequest): Promise<object> {
  const id = idIn(request.path);
  const [document] = id === undefined ? [] : await documents.withIds([id], true);
  if (document === undefined) throw notFound("Vulnerability", id ?? request.path);
  return document;
}

function idIn(path: string): string | undefined {
  try {
    const id = decodeURIComponent(path.slice(VULNS.length));
    return id === "" || id.includes("\0") ? undefined : id;
  } catch {
    return undefined;
  }
}

async function readBody(request: HttpRequest): Promise<unknown> {
  const bytes = await request.body(MAX_BODY_BYTES);
  try {
    return JSON.parse(bytes.toString("utf8"));
  } catch {
    throw invalidQuery("the body must be JSON");
  }
}
