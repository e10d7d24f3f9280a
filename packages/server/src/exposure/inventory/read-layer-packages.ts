import type { ImageManifest } from "@wharf/contract";
import type { FailureCode } from "../layers/failure.ts";
import type { ReadInventory } from "../layers/inventory.ts";
import type { LayerReader } from "../layers/read-layers.ts";
import type { ImageContents } from "./image-contents.ts";
import { type InventoryPackage, packagesOfLayers } from "./inventory-package.ts";

/** The result of reading the packages of an image from its layers. */
export type LayerReading = {
  readonly packages: readonly InventoryPackage[];
  readonly remarks: readonly string[];
  readonly operatingSystem: string;
} & (
  | { readonly outcome: "known" | "none" }
  | { readonly outcome: "failed"; readonly reason: string; readonly description: string }
);

const NOTHING = { packages: [], remarks: [], operatingSystem: "" };

/** Failures of the process rather than of the image: they may not happen again. */
const TEMPORARY: ReadonlySet<FailureCode> = new Set(["killed", "crashed", "timeout"]);

/** Attempts to read layers before such a failure is the result. */
const MAX_ATTEMPTS = 3;

/** Reads the package databases in the layers of an image; undefined where layers are not read. */
export async function readLayerPackages(
  reader: LayerReader,
  contents: ImageContents,
  { layers }: ImageManifest,
  { attempts, signal }: { readonly attempts: number; readonly signal: AbortSignal },
): Promise<LayerReading | undefined> {
  const { layer: open } = contents;
  if (open === undefined) return undefined;
  const sources = layers.map(({ digest, mediaType }) => ({
    ...{ digest, mediaType },
    content: () => open(digest),
  }));
  const read = await reader.read(sources, { signal });
  if (read.outcome === "read") return reading(read);
  const { code, layer, message } = read;
  if (TEMPORARY.has(code) && attempts < MAX_ATTEMPTS) {
    throw new Error(`layers not read (${code}): ${message}`);
  }
  const description = `the layers cannot be read: ${[layer, message].filter(Boolean).join(": ")}`;
  return { ...NOTHING, outcome: "failed", reason: code, description };
}

function reading(read: ReadInventory): LayerReading {
  const { release, foreignLayers, problemCount, jarsWithoutCoordinates } = read;
  const packages = packagesOfLayers(read);
  return {
    packages,
    outcome: packages.length > 0 || release !== undefined ? "known" : "none",
    operatingSystem: release === undefined ? "" : `${release.id} ${release.versionId}`.trim(),
    remarks: [
      ...(foreignLayers > 0 ? [`${foreignLayers} layers are not in the registry`] : []),
      ...(problemCount > 0 ? [`${problemCount} files could not be read`] : []),
      ...(jarsWithoutCoordinates > 0
        ? [`${jarsWithoutCoordinates} Java archives have no coordinates`]
        : []),
    ],
  };
}
