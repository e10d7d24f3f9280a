import type { Reader } from "../db/connection.ts";
import { MAX_PROBLEMS, type StoreProblem } from "./problem.ts";

/** The blobs and manifests of repos, as they are. */
const LINKED = `SELECT blob_links.repo, blob_links.digest, blobs.size FROM blob_links
    JOIN blobs ON blobs.digest = blob_links.digest
  UNION ALL SELECT repo, digest, length(content) FROM manifests WHERE content IS NOT NULL`;

/** Each of them in every group above the repo. */
const BY_GROUP = `SELECT owner.uid AS scope, linked.digest, linked.size FROM groups owner
  JOIN (${LINKED}) linked ON linked.repo > owner.uid || '/' AND linked.repo < owner.uid || '0'`;

/** The totals that follow from the links. */
const TOTALS = `SELECT scope, count(*) AS contents, sum(size) AS bytes, sum(size * links) AS linked
    FROM content_links GROUP BY scope
  UNION ALL SELECT repo, count(*), sum(size), sum(size) FROM (${LINKED}) linked GROUP BY repo`;

/** Compares what the registry counts in each group and repo, by which quotas are checked, with a recount. */
export async function checkContentCounts(reader: Reader): Promise<StoreProblem[]> {
  const links = await reader.all<{ scope: string; digest: string; counted: number; found: number }>(
    `SELECT coalesce(c.scope, r.scope) AS scope, coalesce(c.digest, r.digest) AS digest,
       coalesce(c.links, 0) AS counted, coalesce(r.links, 0) AS found
     FROM content_links c FULL JOIN (SELECT scope, digest, max(size) AS size, count(*) AS links
         FROM (${BY_GROUP}) each_link GROUP BY scope, digest) r
       ON r.scope = c.scope AND r.digest = c.digest
     WHERE coalesce(c.links, 0) <> coalesce(r.links, 0) OR c.size <> r.size LIMIT ${MAX_PROBLEMS}`,
  );
  const totals = await reader.all<{ scope: string; counted: number; found: number }>(
    `SELECT coalesce(c.scope, r.scope) AS scope, coalesce(c.bytes, 0) AS counted, coalesce(r.bytes, 0) AS found
     FROM content_totals c FULL JOIN (${TOTALS}) r ON r.scope = c.scope
     WHERE coalesce(c.contents, 0) <> coalesce(r.contents, 0)
       OR coalesce(c.bytes, 0) <> coalesce(r.bytes, 0)
       OR coalesce(c.linked, 0) <> coalesce(r.linked, 0) LIMIT ${MAX_PROBLEMS}`,
  );
  return [
    ...links.map(({ scope, digest, counted, found }) =>
      problem("content_links", `${digest} has ${found} links in ${scope}, but ${counted} counted`),
    ),
    ...totals.map(({ scope, counted, found }) =>
      problem("content_totals", `${scope} has ${found} bytes of content, but ${counted} counted`),
    ),
  ];
}

function problem(name: string, text: string): StoreProblem {
  return { kind: "data", name, problem: text };
}
