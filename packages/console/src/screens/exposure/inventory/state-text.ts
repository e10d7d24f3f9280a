import type { PlatformInventoryJson } from "@wharf/contract/messages";
import { inventoryTexts } from "../../../texts/inventory.ts";
import { sentence } from "../../../texts/sentence.ts";

/**
 * Gaps in the inventory of an image, in sentences; none if it is complete. An image without known packages must never
 * look as if it had no vulnerability.
 */
export function gapsOf(inventory: PlatformInventoryJson | undefined): string[] {
  const { state, description = "", remarks = [], componentsWithoutPurl = 0 } = inventory ?? {};
  // The remark about these components has its own sentence.
  const others = remarks.filter((one) => !/components have no package URL$/.test(one));
  const refusals = (inventory?.documents ?? []).flatMap(({ refusal, description: reason }) =>
    refusal ? [inventoryTexts.refused(reason || refusal)] : [],
  );
  const gaps = [
    ...(componentsWithoutPurl > 0 ? [inventoryTexts.withoutPurl(componentsWithoutPurl)] : []),
    ...others.map(sentence),
    ...refusals,
  ];
  switch (state) {
    case "INVENTORY_STATE_KNOWN":
      return gaps;
    case "INVENTORY_STATE_WAITING":
      return [inventoryTexts.waiting];
    case "INVENTORY_STATE_NONE":
      return [inventoryTexts.none];
    case "INVENTORY_STATE_REFUSED":
      // The reason is that of a document, or of the layers.
      return description.startsWith("the document ") && refusals.length > 0
        ? [...refusals, inventoryTexts.unclear]
        : [sentence(description), ...refusals, inventoryTexts.unclear];
    default:
      return [inventoryTexts.unread];
  }
}

/** Whether the packages of an image are known, so that findings say something about it. */
export function isKnown(inventory: PlatformInventoryJson | undefined): boolean {
  return inventory?.state === "INVENTORY_STATE_KNOWN";
}
