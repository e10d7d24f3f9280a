import { assemble } from "./assemble.ts";
import { LayerFailure } from "./failure.ts";
import type { LayerAnswer, LayerTask } from "./layer-task.ts";
import { ImageReader } from "./read-image.ts";

/**
 * Reads the layers of a task, from the base on.
 *
 * @param open Returns the decompressed bytes of the layers that are not foreign, one after the other.
 */
export async function readTask(
  { layers, limits, linked }: LayerTask,
  open: () => AsyncIterable<Buffer>,
): Promise<LayerAnswer> {
  const reader = new ImageReader(limits, linked);
  let layer = "";
  try {
    for (const { digest, isForeign } of layers) {
      layer = digest;
      if (!isForeign) await reader.readLayer(open());
    }
    layer = "";
    const inventory = assemble(reader, limits.packages);
    const foreignLayers = layers.filter(({ isForeign }) => isForeign).length;
    return { outcome: "read", ...inventory, foreignLayers, linked: [...reader.unread] };
  } catch (error) {
    if (!(error instanceof LayerFailure)) throw error;
    return { outcome: "failed", code: error.code, layer, message: error.message };
  }
}
