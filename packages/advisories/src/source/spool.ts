import { createWriteStream, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { unreadable } from "../read/unreadable.ts";
import { ARCHIVE_LIMITS } from "./budget.ts";
import type { Chunks } from "./chunks.ts";
import type { Item } from "./item.ts";

/**
 * Lays a stream down in a file, for what reads from its end. The file is gone afterwards.
 *
 * @example yield* spooled(process.stdin, (path) => zipItems("-", path));
 */
export async function* spooled(
  chunks: Chunks,
  items: (path: string) => AsyncGenerator<Item>,
): AsyncGenerator<Item> {
  const folder = mkdtempSync(join(tmpdir(), "wharf-import-"));
  try {
    const path = join(folder, "archive");
    await pipeline(bounded(chunks), createWriteStream(path, { mode: 0o600 }));
    yield* items(path);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** A stream may have no end. */
async function* bounded(chunks: Chunks): AsyncGenerator<Uint8Array> {
  let length = 0;
  for await (const chunk of chunks) {
    length += chunk.length;
    if (length > ARCHIVE_LIMITS.unpackedBytes) throw unreadable("is larger than an archive may be");
    yield chunk;
  }
}
