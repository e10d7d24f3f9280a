import { Capability, type UIDPFilter } from "@wharf/contract";
import { apkV1 } from "@wharf/contract/v1";
import { pageSizeOf, readCursor, readSkip } from "../../engine/list/list.ts";
import type { ListDeps } from "../../engine/list/lists.ts";
import { queryText } from "../../exposure/findings/page.ts";
import { reposOf } from "../../exposure/findings/scope.ts";
import type { VersionDetail } from "../../exposure/inventory/inventory-package.ts";
import { apk } from "../../exposure/orders/apk.ts";
import { invalidArgument } from "../../lib/errors.ts";
import type { Call } from "../../rpc/call.ts";
import {
  type ApkFilter,
  type ApkRow,
  apkNames,
  apkPackages,
  countApkNames,
  countApks,
} from "../../store/tables/exposure/packages/apk-packages.ts";
import { type AdaptedMethod, respondWith } from "../adapter.ts";

const { listAPKs, listAPKSummaries } = apkV1.APK.method;

/** Packages are known from images: who lists them must also see what is in these. */
const OF_IMAGES = [Capability.CAP_REPO_LIST, Capability.CAP_MANIFEST_METADATA_LIST];

/** Versions of the packages of one page. */
const MAX_VERSIONS = 20_000;

/** The fields by which both methods page. */
interface Paged {
  readonly uidp?: UIDPFilter | undefined;
  readonly architecture: string;
  readonly origin: string;
  readonly pageSize: number;
  readonly pageToken: string;
  readonly orderBy: string;
  readonly skip: number;
}

/** The apk packages in images. */
export function apkMethods(deps: ListDeps): AdaptedMethod[] {
  const { store } = deps;
  return [
    respondWith(listAPKs, {}, async (request, call) => {
      const reader = store.readerFor(call);
      const costly = reader.costly ?? reader;
      const { packageName } = request;
      const filter = {
        ...filterOf(deps, request, call),
        ...(packageName !== "" && { name: packageName }),
      };
      const page = pageOf(deps, "ListAPKs", request, call);
      if (request.mostRecentlyUpdated) {
        const names = await apkNames(costly, filter, page);
        const total = await countApkNames(costly, filter);
        const rows = await latestOf(deps, call, filter, names);
        return { items: rows.map(packageOf), ...page.rest(names.length, total) };
      }
      const rows = await apkPackages(costly, filter, page);
      return {
        items: rows.map(packageOf),
        ...page.rest(rows.length, await countApks(costly, filter)),
      };
    }),
    respondWith(listAPKSummaries, {}, async (request, call) => {
      const reader = store.readerFor(call);
      const costly = reader.costly ?? reader;
      const { query } = request;
      const filter = { ...filterOf(deps, request, call), ...(query !== "" && { prefix: query }) };
      const page = pageOf(deps, "ListAPKSummaries", request, call);
      const names = await apkNames(costly, filter, page);
      const total = await countApkNames(costly, filter);
      const byName = Map.groupBy(await latestOf(deps, call, filter, names), ({ name }) => name);
      const items = names.flatMap((name) => summaryOf(byName.get(name) ?? []));
      return { items, ...page.rest(names.length, total) };
    }),
  ];
}

function filterOf({ catalog }: ListDeps, request: Paged, call: Call): ApkFilter {
  const { uidp, architecture, origin } = request;
  return {
    intervals: reposOf(catalog, call, uidp, OF_IMAGES),
    ...(architecture !== "" && { architecture }),
    ...(origin !== "" && { origin }),
  };
}

/** Pages by their offset: the order of packages changes rarely, and a repeated one does no harm. */
function pageOf({ lists }: ListDeps, method: string, request: Paged, call: Call) {
  const limit = pageSizeOf(request.pageSize);
  const query = queryText(method, request);
  const cursor = readCursor(lists, query, request.pageToken, call.time);
  const skip = readSkip(request.skip);
  const offset = (cursor?.position.id ?? 0) + skip;
  const skipped = (cursor?.skipped ?? 0) + skip;
  return {
    ...{ limit, offset, descending: isDescending(request.orderBy) },
    rest(count: number, total: number) {
      const end = offset + count;
      const next = { position: { key: "", id: end }, skipped };
      return {
        nextPageToken:
          end < total && count > 0 ? lists.pageTokens.seal(query, next, call.time) : "",
        ...{ totalCount: BigInt(total), skipped },
      };
    },
  };
}

function isDescending(orderBy: string): boolean {
  const [, direction = "asc"] = /^(?:package_name(?: (asc|desc))?)?$/.exec(orderBy) ?? [
    undefined,
    "",
  ];
  if (direction === "") {
    const description = "orderBy must be package_name, with asc or desc";
    throw invalidArgument({ field: "orderBy", description });
  }
  return direction === "desc";
}

/** The latest version of each package and architecture. */
async function latestOf(
  { store }: ListDeps,
  call: Call,
  filter: ApkFilter,
  names: readonly string[],
): Promise<ApkRow[]> {
  const reader = store.readerFor(call);
  const all = await apkPackages(
    reader.costly ?? reader,
    { ...filter, names },
    { descending: false, limit: MAX_VERSIONS, offset: 0 },
  );
  const latest = new Map<string, ApkRow>();
  for (const row of all) {
    const key = `${row.name} ${archOf(row)}`;
    const before = latest.get(key);
    if (before === undefined || (apk.compare(row.version, before.version) ?? 0) > 0) {
      latest.set(key, row);
    }
  }
  const places = new Map(names.map((name, at) => [name, at]));
  const placeOf = ({ name }: ApkRow) => places.get(name) ?? 0;
  return [...latest.values()].sort((a, b) => placeOf(a) - placeOf(b));
}

function archOf({ detail }: ApkRow): string {
  return (JSON.parse(detail) as VersionDetail).arch;
}

function packageOf(row: ApkRow) {
  const { purl, name, version, license, origin } = row;
  return {
    ...{ id: purl, packageName: name, version, license, origin: origin || name },
    architecture: archOf(row),
  };
}

/** The summary of a package, of the latest versions for its architectures. */
function summaryOf(rows: readonly ApkRow[]) {
  const [first, ...rest] = rows;
  if (first === undefined) return [];
  const latest = rest.reduce(
    (best, row) => ((apk.compare(row.version, best.version) ?? 0) > 0 ? row : best),
    first,
  );
  const same = rows.filter(({ version }) => version === latest.version).map(archOf);
  return [
    {
      packageName: latest.name,
      latestVersion: latest.version,
      architectures: [...new Set(same)].filter(Boolean).sort().join(", "),
      ...{ license: latest.license, origin: latest.origin || latest.name },
    },
  ];
}
