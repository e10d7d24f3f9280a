import { create } from "@bufbuild/protobuf";
import {
  FoundImageSchema,
  FoundPackageSchema,
  type SearchExposureRequest,
  SearchExposureResponseSchema,
  SeverityCountSchema,
} from "@wharf/contract";
import type { ListDeps } from "../../engine/list/lists.ts";
import { invalidArgument } from "../../lib/errors.ts";
import { type Handler, onlyReads } from "../../rpc/call.ts";
import { messageReply } from "../../rpc/reply.ts";
import type { Reader } from "../../store/db/connection.ts";
import { countsOfImages } from "../../store/tables/exposure/findings/finding-counts.ts";
import { readVulnerabilities } from "../../store/tables/exposure/findings/vulnerability-list.ts";
import { namesOfImages } from "../../store/tables/exposure/images/image-names.ts";
import type { RepoInterval } from "../../store/tables/exposure/images/visible-images.ts";
import {
  searchImages,
  searchPackages,
  versionsOf,
} from "../../store/tables/exposure/packages/search.ts";
import { vulnerabilitiesOf } from "../findings/list-vulnerabilities.ts";
import { ALL_STATUSES, readNames } from "../findings/read-filter.ts";
import { reposOf } from "../findings/scope.ts";

const DEFAULT_LIMIT = 10;
const MAX_LIMIT = 50;

const MAX_VERSIONS = 10;

/** The handler of SearchExposure. */
export function searchExposure({ store, catalog }: ListDeps): Handler {
  return onlyReads(async (call, message) => {
    const request = message as SearchExposureRequest;
    const name = request.query.trim();
    const text = name.toLowerCase();
    if (text === "") throw invalidArgument({ field: "query", description: "query must have text" });
    const limit = readLimit(request.limit);
    const reader = store.readerFor(call).costly ?? store.readerFor(call);
    const intervals = reposOf(catalog, call, request.uidp);
    const response = create(SearchExposureResponseSchema, {
      vulnerabilities: await findVulnerabilities(reader, intervals, name, limit, call.time),
      packages: await findPackages(reader, intervals, text, limit),
      images: await findImages(reader, intervals, text, limit),
    });
    return messageReply(SearchExposureResponseSchema, response);
  });
}

function readLimit(limit: number): number {
  if (limit === 0) return DEFAULT_LIMIT;
  if (limit > 0 && limit <= MAX_LIMIT) return limit;
  throw invalidArgument({
    field: "limit",
    description: `limit must be from 1 to ${MAX_LIMIT}`,
  });
}

async function findVulnerabilities(
  reader: Reader,
  intervals: readonly RepoInterval[],
  text: string,
  limit: number,
  now: number,
) {
  // A part of the name by which a vulnerability is best known, or another name of it.
  const names = await readNames(reader, [...new Set([text, spelled(text)])]);
  const nameContains = text.toLowerCase();
  const filter = { intervals, statuses: ALL_STATUSES, names, nameContains, now };
  const order = { column: "severity", descending: true } as const;
  const found = await readVulnerabilities(reader, filter, { order, limit });
  return vulnerabilitiesOf(reader, filter, found);
}

/** Ids of vulnerabilities begin in upper case; those of GitHub go on in lower case. */
function spelled(text: string): string {
  return /^ghsa-/i.test(text) ? `GHSA${text.slice(4).toLowerCase()}` : text.toUpperCase();
}

async function findPackages(
  reader: Reader,
  intervals: readonly RepoInterval[],
  text: string,
  limit: number,
) {
  const found = await searchPackages(reader, intervals, text, limit);
  return Promise.all(
    found.map(async (hit) =>
      create(FoundPackageSchema, {
        ...{ ecosystem: hit.ecosystem, name: hit.name, images: BigInt(hit.images) },
        versions: await versionsOf(reader, intervals, hit, MAX_VERSIONS),
      }),
    ),
  );
}

async function findImages(
  reader: Reader,
  intervals: readonly RepoInterval[],
  text: string,
  limit: number,
) {
  const found = await searchImages(reader, intervals, text, limit);
  const namesOf = await namesOfImages(reader, found);
  const ids = found.map(({ id }) => id);
  const counts = (await countsOfImages(reader, ids)).filter(({ open }) => open > 0);
  const byImage = Map.groupBy(counts, ({ image }) => image);
  return found.map((image) =>
    create(FoundImageSchema, {
      ...{ repoUid: image.repo, digest: image.digest, ...namesOf(image) },
      severities: (byImage.get(image.id) ?? []).map(({ severity, open, fixable }) =>
        create(SeverityCountSchema, { severity, open: BigInt(open), fixable: BigInt(fixable) }),
      ),
    }),
  );
}
