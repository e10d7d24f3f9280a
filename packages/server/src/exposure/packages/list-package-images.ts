import { create } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import {
  type ListPackageImagesRequest,
  ListPackageImagesResponseSchema,
  type PackageImage,
  PackageImageSchema,
} from "@wharf/contract";
import { pageSizeOf, readCursor } from "../../engine/list/list.ts";
import type { ListDeps } from "../../engine/list/lists.ts";
import { type Handler, onlyReads } from "../../rpc/call.ts";
import { messageReply } from "../../rpc/reply.ts";
import type { Reader } from "../../store/db/connection.ts";
import { keyOf, repoPaths, tagsOfImages } from "../../store/tables/exposure/images/image-names.ts";
import {
  type ContentFilter,
  countImagesWithPackage,
  imagesWithPackage,
  type PackageImagePosition,
  type PackageImageRow,
  versionsInImages,
} from "../../store/tables/exposure/packages/image-packages-list.ts";
import { queryText } from "../findings/list-findings.ts";
import { toImagePackage } from "../findings/messages.ts";
import { readPackage } from "../findings/read-filter.ts";
import { reposOf } from "../findings/scope.ts";
import { orderOf } from "../orders/order-of.ts";
import { isInRange, readRange, type VersionRange } from "./version-range.ts";

/** The handler of ListPackageImages. */
export function listPackageImages({ store, catalog, lists }: ListDeps): Handler {
  return onlyReads(async (call, message) => {
    const request = message as ListPackageImagesRequest;
    const limit = pageSizeOf(request.pageSize);
    const range = request.versionRange === "" ? undefined : readRange(request.versionRange);
    const query = queryText("ListPackageImages", request);
    const cursor = readCursor(lists, query, request.pageToken, call.time)?.position;
    const after = cursor && (JSON.parse(String(cursor.key)) as PackageImagePosition);
    const reader = store.readerFor(call).costly ?? store.readerFor(call);
    const content = {
      intervals: reposOf(catalog, call, request.uidp),
      package: readPackage(request.package),
      ...readEcosystem(request.ecosystem),
      ...(request.inUse !== undefined && { inUse: request.inUse }),
      now: call.time,
    };
    const selection = range && (await selectVersions(reader, content, range));
    const filter = selection ? { ...content, versions: selection.within } : content;
    const found = await imagesWithPackage(reader, filter, after, limit + 1);
    const last = found.length > limit ? found[limit - 1] : undefined;
    const key = last && JSON.stringify([last.inUse, last.image, last.id]);
    const response = create(ListPackageImagesResponseSchema, {
      images: await toImages(reader, found.slice(0, limit)),
      nextPageToken: key
        ? lists.pageTokens.seal(query, { position: { key, id: 0 }, skipped: 0 }, call.time)
        : "",
      totalCount: BigInt(await countImagesWithPackage(reader, filter)),
      ...(selection && { skipped: { versions: selection.notComparable } }),
    });
    return messageReply(ListPackageImagesResponseSchema, response);
  });
}

function readEcosystem(text: string): Pick<ContentFilter, "ecosystem" | "release"> {
  if (text === "") return {};
  const [ecosystem = ""] = text.split(":");
  return { ecosystem, ...(ecosystem !== text && { release: text }) };
}

/** The package versions within a range, in the order of their ecosystem, of the images that the caller may see. */
async function selectVersions(reader: Reader, filter: ContentFilter, range: VersionRange) {
  const within: number[] = [];
  const notComparable = new Set<string>();
  for (const { id, ecosystem, version } of await versionsInImages(reader, filter)) {
    const isWithin = isInRange(version, range, orderOf(ecosystem));
    if (isWithin === undefined) notComparable.add(version);
    else if (isWithin) within.push(id);
  }
  return { within, notComparable: [...notComparable].sort() };
}

async function toImages(reader: Reader, rows: readonly PackageImageRow[]): Promise<PackageImage[]> {
  const paths = await repoPaths(
    reader,
    rows.map(({ repo }) => repo),
  );
  const tags = await tagsOfImages(reader, rows);
  return rows.map((row) =>
    create(PackageImageSchema, {
      repoUid: row.repo,
      repoPath: paths.get(row.repo) ?? row.repo,
      ...{ digest: row.digest, platform: row.platform },
      tags: [...(tags.get(keyOf(row)) ?? [])],
      inUse: row.inUse === 1,
      pushTime: timestampFromMs(row.pushed),
      package: toImagePackage(row),
    }),
  );
}
