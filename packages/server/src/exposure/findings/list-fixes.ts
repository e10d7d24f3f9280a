import { create } from "@bufbuild/protobuf";
import {
  type Fix,
  FixSchema,
  type ListFixesRequest,
  ListFixesResponseSchema,
} from "@wharf/contract";
import type { ListDeps } from "../../engine/list/lists.ts";
import { type Handler, onlyReads } from "../../rpc/call.ts";
import { messageReply } from "../../rpc/reply.ts";
import type { Reader } from "../../store/db/connection.ts";
import type { FindingFilter } from "../../store/tables/exposure/findings/finding-list.ts";
import {
  countFixes,
  type FixPosition,
  type FixRow,
  readFixes,
  vulnerabilitiesOfFix,
} from "../../store/tables/exposure/findings/fixes.ts";
import { type FindingDetail, OPEN_STATUSES } from "../assessment/finding.ts";
import { orderOf } from "../orders/order-of.ts";
import { requestedPage } from "./page.ts";
import { reposOf } from "./scope.ts";

/** Names of vulnerabilities that a fix is returned with. */
const MAX_NAMES = 20;

/** Vulnerabilities, in each version that images have, that decide the version of a fix. */
const MAX_VULNERABILITIES = 10_000;

/** The handler of ListFixes. */
export function listFixes({ store, catalog, lists }: ListDeps): Handler {
  return onlyReads(async (call, message) => {
    const request = message as ListFixesRequest;
    const { repoUid, digest, inUse } = request;
    const { after, limit, cut } = requestedPage<FixPosition>(lists, call, request);
    const reader = store.readerFor(call).costly ?? store.readerFor(call);
    const filter: FindingFilter = {
      intervals: reposOf(catalog, call, request.uidp),
      statuses: OPEN_STATUSES,
      now: call.time,
      ...(repoUid !== "" && { repo: repoUid }),
      ...(digest !== "" && { digest }),
      ...(inUse && { inUse }),
    };
    const found = await readFixes(reader, filter, after, limit);
    const { rows, nextPageToken } = cut(found, positionOf);
    const fixes: Fix[] = [];
    for (const row of rows) fixes.push(await toFix(reader, filter, row));
    const response = create(ListFixesResponseSchema, {
      fixes,
      nextPageToken,
      totalCount: BigInt(await countFixes(reader, filter)),
    });
    return messageReply(ListFixesResponseSchema, response);
  });
}

function positionOf(row: FixRow): FixPosition {
  return [row.findings, row.ecosystem, row.release, row.package];
}

async function toFix(reader: Reader, filter: FindingFilter, row: FixRow): Promise<Fix> {
  const { ecosystem, release, findings, images, severity } = row;
  const resolved = await vulnerabilitiesOfFix(reader, filter, row, MAX_VULNERABILITIES);
  const fixed = resolved.flatMap(({ detail }) => {
    return (JSON.parse(detail) as FindingDetail).fixed?.[0] ?? [];
  });
  const names = new Set(resolved.map(({ vulnerability }) => vulnerability));
  return create(FixSchema, {
    ...{ severity, package: row.package },
    ecosystem: release || ecosystem,
    version: latestOf(ecosystem, fixed),
    findings: BigInt(findings),
    images: BigInt(images),
    vulnerabilities: [...names].slice(0, MAX_NAMES),
  });
}

/** The latest of versions: the earliest that has what all of them fix. Those that cannot be compared do not count. */
function latestOf(ecosystem: string, versions: readonly string[]): string {
  const order = orderOf(ecosystem);
  return versions.reduce((latest, one) => {
    if (latest === "") return one;
    return (order?.compare(one, latest) ?? 0) > 0 ? one : latest;
  }, "");
}
