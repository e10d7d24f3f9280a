import { createWriteStream, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { documentError } from "../read/document-error.ts";
import type { RandomAccess } from "./bytes.ts";
import type { Chunks } from "./chunks.ts";
import { openBytes } from "./file-bytes.ts";
import type { Item } from "./item.ts";

/**
 * Writes a stream to a temporary file, for formats that are read from their end. Deletes the file afterwards.
 *
 * @example yield* spooled(process.stdin, 1024 ** 3, (file) => zipItems("-", file, SOURCE_LIMITS));
 */
export async function* spooled(
  chunks: Chunks,
  maxBytes: number,
  items: (file: RandomAccess) => AsyncGenerator<Item>,
): AsyncGenerator<Item> {
  const folder = mkdtempSync(join(tmpdir(), "wharf-import-"));
  try {
    const path = join(folder, "archive");
    await pipeline(bounded(chunks, maxBytes), createWriteStream(path, { mode: 0o600 }));
    yield* openBytes(path, items);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** A stream may be endless. */
async function* bounded(chunks: Chunks, maxBytes: number): AsyncGenerator<Uint8Array> {
  let length = 0;
  for await (const chunk of chunks) {
    length += chunk.length;
    if (length > maxBytes) throw documentError(`is larger than ${maxBytes / 1024 ** 3} GiB`);
    yield chunk;
  }
}
