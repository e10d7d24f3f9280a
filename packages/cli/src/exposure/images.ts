import type { TaggedImage } from "@wharf/client";
import { InventoryState } from "@wharf/contract";
import type { Run } from "../command/types.ts";
import { usageError } from "../errors.ts";
import type { Column } from "../output/columns.ts";
import { resolveScope } from "../resolve/groups.ts";
import { definedFields } from "../resource/values.ts";
import { imageName, wordOf } from "./columns.ts";
import { INVENTORY_STATES, type imagesDefinition } from "./commands.ts";

const NUMBERS: Readonly<Record<(typeof INVENTORY_STATES)[number], InventoryState>> = {
  waiting: InventoryState.WAITING,
  known: InventoryState.KNOWN,
  none: InventoryState.NONE,
  refused: InventoryState.REFUSED,
};

const digestOf = ({ inventory }: TaggedImage) => inventory?.digest ?? "";

const COLUMNS: readonly Column<TaggedImage>[] = [
  {
    header: "Image",
    value: (image) => `${image.repoPath}@${digestOf(image)}`,
    short: ({ repoPath, tags, inventory }) =>
      imageName({
        ...{ repoPath, tags },
        digest: inventory?.digest ?? "",
        platform: inventory?.platform ?? "",
      }),
  },
  {
    header: "Packages",
    value: ({ inventory }) => wordOf(InventoryState, inventory?.state ?? 0),
    style: ({ inventory }) => (inventory?.state === InventoryState.KNOWN ? undefined : "yellow"),
  },
  { header: "Reason", value: ({ inventory }) => inventory?.description },
  { header: "In use", value: ({ inUse }) => (inUse ? "yes" : "no") },
  { header: "Pushed", value: ({ pushTime }) => pushTime },
  { header: "Platform", value: ({ inventory }) => inventory?.platform, wide: true },
  { header: "Number of packages", value: ({ inventory }) => inventory?.packages, wide: true },
  { header: "Tags", value: ({ tags }) => tags, wide: true },
];

export const images: Run<typeof imagesDefinition> = async (context, args) => {
  const request = {
    uidp: await resolveScope(context, args),
    states: args.state.map(stateOf),
    ...definedFields({ inUse: args.inUse || undefined }),
  };
  const { inventory } = await context.client();
  const items = inventory.listTaggedImagesAll(request, { signal: context.signal });
  await context.progress("listing images", () =>
    context.out.list(items, COLUMNS, { id: digestOf, what: "images", arrangement: args }),
  );
};

function stateOf(text: string): InventoryState {
  const state = NUMBERS[text as keyof typeof NUMBERS];
  if (state !== undefined) return state;
  throw usageError(`--state must be one of ${INVENTORY_STATES.join(", ")}, not "${text}"`);
}
