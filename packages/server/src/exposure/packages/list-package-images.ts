import { create } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import {
  type ListPackageImagesRequest,
  ListPackageImagesResponseSchema,
  type PackageImage,
  PackageImageSchema,
} from "@wharf/contract";
import type { ListDeps } from "../../engine/list/lists.ts";
import { type Handler, onlyReads } from "../../rpc/call.ts";
import { messageReply } from "../../rpc/reply.ts";
import type { Reader } from "../../store/db/connection.ts";
import { namesOfImages } from "../../store/tables/exposure/images/image-names.ts";
import {
  type ContentFilter,
  countImagesWithPackage,
  imagesWithPackage,
  type PackageImagePosition,
  type PackageImageRow,
  versionsInImages,
} from "../../store/tables/exposure/packages/image-packages-list.ts";
import { toImagePackage } from "../findings/messages.ts";
import { requestedPage } from "../findings/page.ts";
import { readPackage } from "../findings/read-filter.ts";
import { reposOf } from "../findings/scope.ts";
import { orderOf } from "../orders/order-of.ts";
import { isInRange, readRange, type VersionRange } from "./version-range.ts";

/** The handler of ListPackageImages. */
export function listPackageImages({ store, catalog, lists }: ListDeps): Handler {
  return onlyReads(async (call, message) => {
    const request = message as ListPackageImagesRequest;
    const range = request.versionRange === "" ? undefined : readRange(request.versionRange);
    const { after, limit, cut } = requestedPage<PackageImagePosition>(lists, call, request);
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
    const found = await imagesWithPackage(reader, filter, after, limit);
    const { rows, nextPageToken } = cut(found, (last) => [last.inUse, last.image, last.id]);
    const response = create(ListPackageImagesResponseSchema, {
      images: await toImages(reader, rows),
      nextPageToken,
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
  const namesOf = await namesOfImages(reader, rows);
  return rows.map((row) =>
    create(PackageImageSchema, {
      ...{ repoUid: row.repo, digest: row.digest, platform: row.platform, ...namesOf(row) },
      inUse: row.inUse === 1,
      pushTime: timestampFromMs(row.pushed),
      package: toImagePackage(row),
    }),
  );
}
