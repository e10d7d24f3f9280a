import type { JsonObject } from "@bufbuild/protobuf";
import type { PageTokens } from "../../engine/list/page-token.ts";
import type { Reader } from "../../store/db/connection.ts";
import type { VisibleDocuments } from "./documents.ts";
import { invalidQuery } from "./errors.ts";
import { matchedIds } from "./matched-ids.ts";
import type { PackageQuery } from "./query.ts";

/** Documents of an answer, as osv.dev has them: of one query, and of all queries of a batch. */
const MAX_DOCUMENTS = 1_000;
const MAX_BATCH_DOCUMENTS = 3_000;

/** osv.dev sends up to 32 MiB over HTTP/1.1. */
const MAX_ANSWER_BYTES = 24 * 1024 * 1024;

/** Documents that are read at a time. */
const BATCH_SIZE = 50;

/** Queries of a batch whose records are in memory at a time. */
const QUERIES_AT_A_TIME = 50;

export interface AnswerDeps {
  readonly reader: Reader;
  readonly pageTokens: PageTokens;
  readonly documents: VisibleDocuments;
  readonly scopes: readonly string[] | undefined;
  readonly now: number;
}

/** The answer to a query. Without documents, it is empty. */
export async function answerQuery(deps: AnswerDeps, query: PackageQuery): Promise<object> {
  const start = startOf(deps, query);
  const [matched = []] = await matchedIds(deps.reader, [query.queried], deps.scopes);
  const ids = matched.filter((id) => id > start);
  const vulns: JsonObject[] = [];
  let bytes = 0;
  let done = 0;
  const limit = Math.min(ids.length, MAX_DOCUMENTS);
  while (done < limit && bytes < MAX_ANSWER_BYTES) {
    const some = ids.slice(done, Math.min(done + BATCH_SIZE, limit));
    for (const document of await deps.documents.withIds(some)) {
      if (bytes >= MAX_ANSWER_BYTES) break;
      vulns.push(document);
      bytes += JSON.stringify(document).length;
    }
    done += some.length;
  }
  const last = bytes < MAX_ANSWER_BYTES ? ids[done - 1] : String(vulns.at(-1)?.id);
  const isWhole = last === undefined || last === ids.at(-1);
  return {
    ...(vulns.length > 0 && { vulns }),
    ...(!isWhole && { next_page_token: tokenAfter(deps, query, last) }),
  };
}

/** The answers to queries, in their order: ids and times, with which clients read documents. */
export async function answerBatch(
  deps: AnswerDeps,
  queries: readonly PackageQuery[],
): Promise<object> {
  const results: object[] = [];
  let left = MAX_BATCH_DOCUMENTS;
  for (let at = 0; at < queries.length; at += QUERIES_AT_A_TIME) {
    const some = queries.slice(at, at + QUERIES_AT_A_TIME);
    const starts = some.map((query) => startOf(deps, query));
    const queried = some.map((query) => query.queried);
    const matched = await matchedIds(deps.reader, queried, deps.scopes);
    const pages = matched.map((all, position) => {
      const start = starts[position] as string;
      const ids = all.filter((id) => id > start);
      const page = ids.slice(0, Math.min(MAX_DOCUMENTS, left));
      left -= page.length;
      return { page, start, isWhole: page.length === ids.length };
    });
    const modified = await modifiedOf(
      deps,
      pages.flatMap(({ page }) => page),
    );
    for (const [position, { page, start, isWhole }] of pages.entries()) {
      const vulns = page.flatMap((id) => modified.get(id) ?? []);
      const next = () => tokenAfter(deps, some[position] as PackageQuery, page.at(-1) ?? start);
      results.push({
        ...(vulns.length > 0 && { vulns }),
        ...(!isWhole && { next_page_token: next() }),
      });
    }
  }
  return { results };
}

async function modifiedOf(
  { documents }: AnswerDeps,
  ids: readonly string[],
): Promise<Map<string, { readonly id: string; readonly modified: string }>> {
  const unique = [...new Set(ids)];
  const found = new Map<string, { id: string; modified: string }>();
  for (let at = 0; at < unique.length; at += BATCH_SIZE) {
    for (const document of await documents.withIds(unique.slice(at, at + BATCH_SIZE))) {
      const { id, modified } = document as { id: string; modified: string };
      found.set(id, { id, modified });
    }
  }
  return found;
}

/** The id after which a page begins. */
function startOf({ pageTokens, now }: AnswerDeps, { key, pageToken }: PackageQuery): string {
  if (pageToken === "") return "";
  const opened = pageTokens.open(key, pageToken, now);
  if (typeof opened === "object") return String(opened.cursor.position.key);
  const why = opened === "expired" ? "has expired" : "is of another query";
  throw invalidQuery(`page_token ${why}: begin without one`);
}

function tokenAfter({ pageTokens, now }: AnswerDeps, { key }: PackageQuery, id: string): string {
  return pageTokens.seal(key, { position: { key: id, id: 0 }, skipped: 0 }, now);
}
