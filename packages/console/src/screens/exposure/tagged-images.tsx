import type {
  InventoryStateJson,
  PlatformInventoryJson,
  TaggedImageJson,
} from "@wharf/contract/messages";
import { api } from "../../api/client.ts";
import { usePages } from "../../api/pages.ts";
import { useListSearch } from "../../app/location.ts";
import { texts } from "../../texts/common.ts";
import { counted, exposureTexts } from "../../texts/exposure.ts";
import { inventoryTexts } from "../../texts/inventory.ts";
import { sentence } from "../../texts/sentence.ts";
import { chosenValues } from "../../ui/chip-values.ts";
import { type Chip, Chips } from "../../ui/chips.tsx";
import { Empty } from "../../ui/feedback.tsx";
import { GrowingTable } from "../../ui/growing-table.tsx";
import type { Column } from "../../ui/table.tsx";
import { Age } from "../../ui/time.tsx";
import { ImageLink } from "./links.tsx";
import { IN_USE_CHIP } from "./model.ts";

const STATES = ["none", "refused", "waiting", "known"] as const;

const stateOf = (name: string) => `INVENTORY_STATE_${name.toUpperCase()}` as InventoryStateJson;

const CHIPS: readonly Chip[] = STATES.map((value) => ({
  name: "state",
  value,
  label: inventoryTexts.states[stateOf(value)],
}));

const TONES: Readonly<Record<InventoryStateJson, string>> = {
  INVENTORY_STATE_UNSPECIFIED: "plain",
  INVENTORY_STATE_WAITING: "calm",
  INVENTORY_STATE_KNOWN: "good",
  INVENTORY_STATE_NONE: "warn",
  INVENTORY_STATE_REFUSED: "warn",
};

const COLUMNS: readonly Column<TaggedImageJson>[] = [
  {
    header: exposureTexts.columns.image,
    cell: ({ inventory = {}, ...image }) => <ImageLink image={{ ...inventory, ...image }} />,
  },
  {
    header: exposureTexts.columns.packages,
    cell: ({ inventory = {} }) => <State inventory={inventory} />,
  },
  {
    header: exposureTexts.columns.why,
    cell: ({ inventory }) => inventory?.description && sentence(inventory.description),
  },
  { header: texts.columns.pushed, cell: ({ pushTime }) => <Age time={pushTime} />, isExtra: true },
];

function State({
  inventory: { state = "INVENTORY_STATE_UNSPECIFIED", packages = 0 },
}: {
  readonly inventory: PlatformInventoryJson;
}) {
  return (
    <>
      <span className={`badge ${TONES[state]}`}>{inventoryTexts.states[state]}</span>{" "}
      {packages > 0 && packages.toLocaleString("en")}
    </>
  );
}

/** The images with a tag below a group, by whether their packages are known. */
export function TaggedImages({ group }: { readonly group: string }) {
  const [search] = useListSearch();
  const states = chosenValues(search.state).filter((one) =>
    (STATES as readonly string[]).includes(one),
  );
  const request = {
    ...{ uidp: { descendantsOf: group }, pageSize: 50 },
    ...(states.length > 0 && { states: states.map(stateOf) }),
    ...(search.used === "true" && { inUse: true }),
  };
  const pages = usePages(api.inventory.listTaggedImages, request, ({ images }) => images);
  return (
    <>
      <Chips label={exposureTexts.filters.label} chips={[...CHIPS, IN_USE_CHIP]} />
      <GrowingTable
        label={exposureTexts.tabs.images}
        pages={pages}
        columns={COLUMNS}
        keyOf={({ repoUid, inventory }) => `${repoUid} ${inventory?.digest}`}
        countOf={(total) => counted(total, "image")}
        empty={<Empty title={exposureTexts.nothing}>{exposureTexts.nothingText}</Empty>}
      />
    </>
  );
}
