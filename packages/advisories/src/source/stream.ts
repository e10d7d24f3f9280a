import { Readable } from "streamx";
import { extract, type Header } from "tar-stream";
import { tooLarge } from "../read/decode.ts";
import { documentError } from "../read/document-error.ts";
import { Budget, type SourceLimits } from "./budget.ts";
import type { RandomAccess } from "./bytes.ts";
import { type Chunks, type Compression, kindOf, peek, readAll } from "./chunks.ts";
import { gunzip } from "./gunzip.ts";
import { archiveError, catchArchiveErrors, type Item, isDocumentName } from "./item.ts";
import { zipItems } from "./zip.ts";

type Decompressor = (compressed: Chunks) => AsyncIterable<Uint8Array>;

/** Parts of the reader that need Node.js. */
export interface Platform {
  /** Decompressors beside that of gzip. */
  readonly decompressors?: Readonly<Partial<Record<Compression, Decompressor>>>;
  /** Stores a stream, because zip files are read from their end. */
  readonly spool?: (
    chunks: Chunks,
    maxBytes: number,
    items: (file: RandomAccess) => AsyncGenerator<Item>,
  ) => AsyncGenerator<Item>;
}

/**
 * The items of a file: one document, or an archive, detected by its magic number. Archives in archives are not opened.
 *
 * @example for await (const item of fileItems("osv.zip", blobBytes(file), SOURCE_LIMITS)) …
 */
export async function* fileItems(
  name: string,
  file: RandomAccess,
  limits: SourceLimits,
  platform: Platform = {},
): AsyncGenerator<Item> {
  const spool = () => zipItems(name, file, limits);
  yield* streamItems(name, file.stream(), limits, { ...platform, spool });
}

/**
 * The items of a stream, as of a file.
 *
 * @example for await (const item of streamItems("-", process.stdin, SOURCE_LIMITS, { spool })) …
 */
export async function* streamItems(
  name: string,
  chunks: Chunks,
  limits: SourceLimits,
  { decompressors = {}, spool }: Platform,
): AsyncGenerator<Item> {
  yield* catchArchiveErrors(name, async function* () {
    const { head, all } = await peek(chunks);
    const kind = kindOf(head);
    if (kind === "tar" || kind === "document") return yield* plainItems(name, kind, all, limits);
    if (kind === "zip" && spool !== undefined) {
      return yield* spool(all, limits.expandedBytes, (file) => zipItems(name, file, limits));
    }
    const decompressor = kind === "gzip" ? gunzip : decompressors[kind];
    if (decompressor === undefined) {
      throw documentError(`is compressed with ${kind}, which is not supported`);
    }
    const decompressed = await peek(decompress(kind, decompressor, all, new Budget(limits)));
    const inner = kindOf(decompressed.head);
    if (inner !== "tar" && inner !== "document") {
      throw documentError("contains another archive, which is not supported");
    }
    yield* plainItems(name, inner, decompressed.all, limits);
  });
}

async function* plainItems(
  name: string,
  kind: "tar" | "document",
  all: Chunks,
  limits: SourceLimits,
): AsyncGenerator<Item> {
  if (kind === "tar") return yield* tarItems(name, all, limits);
  yield { kind: "document", name, bytes: await readAll(all, limits.documentBytes) };
}

async function* decompress(
  kind: Compression,
  decompressor: Decompressor,
  compressed: Chunks,
  budget: Budget,
): AsyncGenerator<Uint8Array> {
  async function* counted() {
    for await (const chunk of compressed) {
      budget.compressed += chunk.length;
      yield chunk;
    }
  }
  try {
    for await (const chunk of decompressor(counted())) {
      budget.expand(chunk.length);
      yield chunk;
    }
  } catch (error) {
    throw archiveError(kind, error);
  }
}

async function* tarItems(
  archive: string,
  chunks: Chunks,
  limits: SourceLimits,
): AsyncGenerator<Item> {
  const budget = new Budget(limits);
  const entries = extract();
  // Its callback gets the errors that the loop below throws as well.
  Readable.from(chunks).pipe(entries as never, () => {});
  try {
    for await (const entry of entries) {
      budget.entry();
      if (entry.header.type !== "directory") {
        yield await entryItem(archive, entry.header, entry as unknown as Chunks, limits);
      }
      entry.resume();
    }
  } catch (error) {
    throw archiveError("tar", error);
  }
}

async function entryItem(
  archive: string,
  header: Header,
  entry: Chunks,
  { documentBytes }: SourceLimits,
): Promise<Item> {
  const { name: path, size, type, pax, mtime } = header;
  const name = `${archive}/${path}`;
  if (!isDocumentName(path) || SKIPPED_TYPES.has(type ?? "")) return { kind: "skipped", name };
  const isSparse = Object.keys(pax ?? {}).some((key) => key.startsWith("GNU.sparse."));
  if (isSparse || !FILE_TYPES.has(type ?? "")) {
    return { kind: "rejected", name, error: documentError("is an unsupported type of file") };
  }
  if (size > documentBytes) return { kind: "rejected", name, error: tooLarge(documentBytes) };
  const bytes = await readAll(entry, documentBytes);
  return { kind: "document", name, bytes, time: mtime?.getTime(), isEntry: true };
}

const FILE_TYPES: ReadonlySet<string> = new Set(["file", "contiguous-file"]);

/** Links, whose target is an entry of its own, and devices. */
const SKIPPED_TYPES: ReadonlySet<string> = new Set([
  ...["link", "symlink", "character-device", "block-device", "fifo"],
]);
