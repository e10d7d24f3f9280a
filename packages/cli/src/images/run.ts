import type { Image } from "@wharf/client";
import { ImageKind } from "@wharf/contract";
import type { Run } from "../command/types.ts";
import { usageError } from "../errors.ts";
import type { Column } from "../output/columns.ts";
import { DIGEST, sizeText } from "../output/short.ts";
import { REPO } from "../resolve/kinds.ts";
import { resolve } from "../resolve/resolve.ts";
import type { deleteDefinition, listDefinition } from "./commands.ts";
import { deleteImages } from "./delete-images.ts";

const KINDS: Readonly<Record<number, string>> = {
  [ImageKind.IMAGE]: "image",
  [ImageKind.INDEX]: "index",
  [ImageKind.ARTIFACT]: "artifact",
};

const COLUMNS: readonly Column<Image>[] = [
  DIGEST,
  { header: "Kind", value: ({ kind }) => KINDS[kind] },
  { header: "Architecture", value: ({ architecture }) => architecture },
  {
    header: "Size",
    value: ({ size }) => (size === 0n ? undefined : size),
    short: ({ size }) => (size === 0n ? undefined : sizeText(size)),
  },
  { header: "Tags", value: ({ tags }) => tags },
  { header: "Pushed", value: ({ pushTime }) => pushTime },
  { header: "Pulled", value: ({ pullTime }) => pullTime },
  { header: "Attached to", value: ({ subject }) => subject, wide: true },
  { header: "Contains", value: ({ children }) => children, wide: true },
  { header: "Media type", value: ({ mediaType }) => mediaType, wide: true },
];

export const list: Run<typeof listDefinition> = async (context, args) => {
  const { untagged, referrersOf: subject = "" } = args;
  const { uid } = await resolve(context, REPO, args.repo);
  const { images } = await context.client();
  const request = { repoUid: uid, untagged, subject };
  const items = images.listAll(request, { signal: context.signal });
  await context.progress("listing images", () =>
    context.out.list(items, COLUMNS, {
      id: ({ digest }) => digest,
      what: "images",
      arrangement: args,
    }),
  );
};

export const remove: Run<typeof deleteDefinition> = async (context, { images: texts }) => {
  const targets = await Promise.all(
    texts.map(async (text) => {
      const at = text.lastIndexOf("@");
      if (at < 1) throw usageError(`"${text}" must be REPO@DIGEST`);
      const repo = await resolve(context, REPO, text.slice(0, at));
      return { repo, digest: text.slice(at + 1) };
    }),
  );
  const what = targets.length === 1 ? `image ${texts[0]}` : `${targets.length} images`;
  await context.confirm(`Delete ${what} with all tags, in the attached registries?`);
  await deleteImages(context, targets);
};
