import { assemble } from "./assemble.ts";
import { LayerFailure } from "./failure.ts";
import type { FailedInventory, ReadLayer } from "./inventory.ts";
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
  const read: ReadLayer[] = [];
  let current = "";
  try {
    for (const { digest, isForeign } of layers) {
      current = digest;
      if (isForeign) reader.skipLayer();
      const counts = isForeign ? NOTHING : await reader.readLayer(open());
      read.push({ digest, state: isForeign ? "foreign" : "read", ...counts });
    }
    current = "";
    return { ...assemble(reader, read, limits.packages), linked: [...reader.unread] };
  } catch (error) {
    return failureOf(error, current);
  }
}

const NOTHING = { entries: 0, expandedBytes: 0 };

function failureOf(error: unknown, layer: string): FailedInventory {
  if (!(error instanceof LayerFailure)) throw error;
  return { outcome: "failed", code: error.code, layer, message: error.message };
}
