import type { FailedInventory, ReadInventory } from "./inventory.ts";
import type { LayerLimits } from "./limits.ts";

/** The request to a layer process: the layers from the base on, whose descriptors it has in this order. */
export interface LayerTask {
  readonly layers: readonly {
    readonly digest: string;
    /** It has no descriptor. */
    readonly isForeign: boolean;
  }[];
  /** Further files that are read, because hard links of interest lead to them. */
  readonly linked: readonly string[];
  readonly limits: LayerLimits;
}

/** The answer of a layer process. */
export type LayerAnswer =
  | FailedInventory
  | (ReadInventory & {
      /** The files that hard links of interest lead to, and that were not read. */
      readonly linked: readonly string[];
    });
