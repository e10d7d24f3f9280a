import { Inflate } from "fflate";
import { tooLarge } from "../read/decode.ts";
import { DocumentError, documentError } from "../read/document-error.ts";
import { Budget, type SourceLimits } from "./budget.ts";
import { concat, type RandomAccess } from "./bytes.ts";
import { crc32 } from "./crc32.ts";
import { archiveError, catchArchiveErrors, type Item, isDocumentName } from "./item.ts";
import {
  contentPosition,
  entriesOf,
  invalidZip,
  readDirectory,
  type ZipEntry,
} from "./zip-directory.ts";

/**
 * The items of a zip file, as its central directory lists them.
 *
 * @example for await (const item of zipItems("osv.zip", blobBytes(file), SOURCE_LIMITS)) …
 */
export async function* zipItems(
  archive: string,
  file: RandomAccess,
  limits: SourceLimits,
): AsyncGenerator<Item> {
  yield* catchArchiveErrors(archive, async function* () {
    const budget = new Budget(limits, file.size);
    for await (const entry of entriesOf(file, await readDirectory(file))) {
      budget.entry();
      // Names are only displayed, so path traversal in them does no harm.
      const name = `${archive}/${entry.path}`;
      if (entry.path.endsWith("/")) continue;
      if (!isDocumentName(entry.path) || entry.isLink) yield { kind: "skipped", name };
      else yield await entryItem(name, file, entry, budget, limits.documentBytes);
    }
  });
}

/** The number of entries that a zip file claims; undefined if it is invalid, which zipItems reports. */
export async function countEntries(file: RandomAccess): Promise<number | undefined> {
  try {
    return (await readDirectory(file)).count;
  } catch (error) {
    if (error instanceof DocumentError) return undefined;
    throw error;
  }
}

async function entryItem(
  name: string,
  file: RandomAccess,
  entry: ZipEntry,
  budget: Budget,
  documentBytes: number,
): Promise<Item> {
  const reject = (error: DocumentError): Item => ({ kind: "rejected", name, error });
  if (entry.size > documentBytes) return reject(tooLarge(documentBytes));
  if (entry.isEncrypted) return reject(documentError("is encrypted"));
  // The claimed size counts before decompression, which stops at it.
  budget.expand(entry.size);
  try {
    const bytes = await contentOf(file, entry);
    if (crc32(bytes) !== entry.checksum) throw documentError("has a wrong checksum");
    return { kind: "document", name, bytes, time: entry.time, isEntry: true };
  } catch (error) {
    const converted = archiveError("zip", error);
    if (converted instanceof DocumentError) return reject(converted);
    throw documentError(`cannot be read: ${(error as Error).message}`);
  }
}

const STORED = 0;
const DEFLATED = 8;

async function contentOf(file: RandomAccess, entry: ZipEntry): Promise<Uint8Array> {
  const { method, compressedSize, size } = entry;
  if (method !== STORED && method !== DEFLATED) {
    throw invalidZip(`unsupported compression method: ${method}`);
  }
  const start = await contentPosition(file, entry);
  if (method === STORED) {
    if (compressedSize !== size) throw invalidZip("a stored entry has two sizes");
    return file.read(start, size);
  }
  // Deflate hardly enlarges anything: more would be blocks without content, read for each entry that claims them.
  if (compressedSize > size + (size >> 3) + 1024) throw invalidZip("an entry is mostly padding");
  return inflate(file, start, compressedSize, size);
}

const READ_BYTES = 256 * 1024;

/** Compressed bytes per step: deflate expands to at most a thousandfold, so a step yields at most some 4 MiB. */
const STEP_BYTES = 4096;

async function inflate(
  file: RandomAccess,
  start: number,
  compressedSize: number,
  size: number,
): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  const stream = new Inflate((chunk) => {
    length += chunk.length;
    if (length > size) throw invalidZip(`too many bytes: expected ${size}`);
    chunks.push(chunk);
  });
  const end = start + compressedSize;
  for (let at = start; at < end; at += READ_BYTES) {
    const read = await file.read(at, Math.min(READ_BYTES, end - at));
    for (let step = 0; step < read.length; step += STEP_BYTES) {
      stream.push(read.subarray(step, step + STEP_BYTES));
    }
  }
  stream.push(new Uint8Array(), true);
  if (length < size) throw invalidZip(`too few bytes: expected ${size}`);
  return concat(chunks, length);
}
