import { gzipSync } from "node:zlib";
import { timestampMs } from "@bufbuild/protobuf/wkt";
import type { PlatformInventory } from "@wharf/client";
import { InventorySource, InventoryState } from "@wharf/contract";
import type { Run } from "../command/types.ts";
import { readBytes } from "../command/values.ts";
import type { Context } from "../context.ts";
import { wordOf } from "../exposure/columns.ts";
import { resolveImage } from "../exposure/image-argument.ts";
import { waitForPackages } from "../exposure/known-packages.ts";
import type { Column } from "../output/columns.ts";
import { DIGEST } from "../output/short.ts";
import { definedFields } from "../resource/values.ts";
import type { getDefinition, showDefinition, uploadDefinition } from "./commands.ts";

/** The limit of the server, for the decompressed document. */
const MAX_BYTES = 64 * 1024 * 1024;

const COLUMNS: readonly Column<PlatformInventory>[] = [
  { header: "Platform", value: ({ platform }) => platform },
  DIGEST,
  { header: "State", value: ({ state }) => wordOf(InventoryState, state) },
  { header: "Packages", value: ({ packages }) => packages },
  { header: "Source", value: ({ source }) => wordOf(InventorySource, source) },
  { header: "Format", value: ({ format }) => format },
  { header: "System", value: ({ operatingSystem }) => operatingSystem },
  { header: "Reason", value: ({ description }) => description },
  { header: "Without purl", value: (one) => one.componentsWithoutPurl, wide: true },
  { header: "Tool", value: ({ tool }) => tool, wide: true },
  { header: "Written", value: ({ generateTime }) => generateTime, wide: true },
  { header: "Read", value: ({ indexTime }) => indexTime, wide: true },
  { header: "Remarks", value: ({ remarks }) => remarks, wide: true },
  {
    header: "Documents",
    value: ({ documents }) =>
      documents.map(({ kind, foundAs, refusal }) => `${kind} (${foundAs}) ${refusal}`.trim()),
    wide: true,
  },
];

export const upload: Run<typeof uploadDefinition> = async (context, args) => {
  const { image, file, dryRun } = args;
  const content = gzipSync(readBytes("FILE", file, MAX_BYTES));
  const named = await resolveImage(context, image);
  const { inventory } = await context.client();
  const { platforms } = await inventory.uploadImageDocument(
    { ...named, content, validateOnly: dryRun },
    { signal: context.signal },
  );
  const document = file === "-" ? "the document" : file;
  if (dryRun) return context.err.note(`${document} can be stored for ${image}`);
  context.err.note(`stored ${document} for ${image}`);
  const before = new Map(platforms.map(({ digest, indexTime }) => [digest, timeOf(indexTime)]));
  const read = await waitForPackages(context, named, image, (one) => {
    return timeOf(one.indexTime) > (before.get(one.digest) ?? 0);
  });
  await printPlatforms(context, read);
};

/** In milliseconds; 0 for an image that was never read. */
function timeOf(time: PlatformInventory["indexTime"]): number {
  return time === undefined ? 0 : timestampMs(time);
}

function printPlatforms(context: Context, platforms: readonly PlatformInventory[]): Promise<void> {
  return context.out.list(platforms, COLUMNS, { id: ({ digest }) => digest, what: "images" });
}

export const get: Run<typeof getDefinition> = async (context, args) => {
  const named = await resolveImage(context, args.image);
  const { inventory } = await context.client();
  const { content } = await inventory.getSbomDocument(
    {
      ...named,
      ...definedFields({ platform: args.platform }),
      format: args.cyclonedx ? "cyclonedx" : "",
    },
    { signal: context.signal },
  );
  context.out.text(new TextDecoder().decode(content).trimEnd());
};

export const show: Run<typeof showDefinition> = async (context, { image }) => {
  const named = await resolveImage(context, image);
  const { inventory } = await context.client();
  const { platforms } = await inventory.getImage(named, { signal: context.signal });
  await printPlatforms(context, platforms);
};
