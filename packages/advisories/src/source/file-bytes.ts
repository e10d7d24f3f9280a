import { createReadStream } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import type { RandomAccess } from "./bytes.ts";

/**
 * Opens a file for reading at any position, until the last of the items was taken.
 *
 * @example yield* openBytes("osv.zip", (file) => zipItems("osv.zip", file, SOURCE_LIMITS));
 */
export async function* openBytes<Item>(
  path: string,
  items: (file: RandomAccess) => AsyncGenerator<Item>,
): AsyncGenerator<Item> {
  const handle = await open(path);
  try {
    yield* items(bytesOf(handle, path, (await handle.stat()).size));
  } finally {
    await handle.close();
  }
}

function bytesOf(handle: FileHandle, path: string, size: number): RandomAccess {
  return {
    size,
    read: async (position, length) => {
      const buffer = new Uint8Array(Math.max(0, Math.min(length, size - position)));
      const { bytesRead } = await handle.read(buffer, 0, buffer.length, position);
      return buffer.subarray(0, bytesRead);
    },
    stream: () => createReadStream(path),
  };
}
