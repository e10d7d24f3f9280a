import type { Options } from "../options.ts";
import type { Row } from "../row.ts";
import { advisoryFindingsRow } from "./exposure-advisories.ts";
import { exposureIsolationRows } from "./exposure-isolation.ts";
import { layerRow } from "./exposure-layers.ts";
import { packageImagesRows } from "./exposure-packages.ts";
import { sbomRow } from "./exposure-sboms.ts";

/** Packages of images, and findings about them. */
export function exposureRows(options: Options): Row[] {
  return [
    advisoryFindingsRow(options),
    ...packageImagesRows(options),
    sbomRow,
    layerRow(options),
    ...exposureIsolationRows(options),
  ];
}
