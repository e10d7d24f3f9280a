import { pipeline, Readable } from "node:stream";
import { createGunzip, createZstdDecompress } from "node:zlib";
import { extract, type Header } from "tar-stream";
import { tooLarge } from "../read/decode.ts";
import { documentError } from "../read/document-error.ts";
import { Budget, type SourceLimits } from "./budget.ts";
import { type Chunks, type Compression, kindOf, peek, readAll } from "./chunks.ts";
import { archiveError, catchArchiveErrors, type Item, isDocumentName } from "./item.ts";
import { spooled } from "./spool.ts";
import { zipItems } from "./zip.ts";

/**
 * The items of a stream: one document, or an archive, detected by its magic number. Archives in archives are
 * not opened.
 *
 * @example for await (const item of streamItems("-", process.stdin, SOURCE_LIMITS)) …
 */
export async function* streamItems(
  name: string,
  chunks: Chunks,
  limits: SourceLimits,
): AsyncGenerator<Item> {
  const { head, all } = await peek(chunks);
  const kind = kindOf(head);
  if (kind === "tar" || kind === "document") return yield* plainItems(name, kind, all, limits);
  if (kind !== "zip") return yield* compressedItems(name, kind, all, limits);
  yield* catchArchiveErrors(name, () =>
    spooled(all, limits.expandedBytes, (path) => zipItems(name, path, limits)),
  );
}

const DECOMPRESSORS = { gzip: createGunzip, zstd: createZstdDecompress } as const;

function isSupported(compression: Compression): compression is keyof typeof DECOMPRESSORS {
  return Object.hasOwn(DECOMPRESSORS, compression);
}

async function* plainItems(
  name: string,
  kind: "tar" | "document",
  all: Chunks,
  limits: SourceLimits,
): AsyncGenerator<Item> {
  if (kind === "tar") return yield* catchArchiveErrors(name, () => tarItems(name, all, limits));
  yield* catchArchiveErrors(name, async function* () {
    yield { kind: "document", name, bytes: await readAll(all, limits.documentBytes) };
  });
}

async function* compressedItems(
  name: string,
  compression: Compression,
  compressed: Chunks,
  limits: SourceLimits,
): AsyncGenerator<Item> {
  yield* catchArchiveErrors(name, async function* () {
    if (!isSupported(compression)) {
      throw documentError(`is compressed with ${compression}, which is not supported`);
    }
    const { head, all } = await peek(decompress(compression, compressed, new Budget(limits)));
    const kind = kindOf(head);
    if (kind !== "tar" && kind !== "document") {
      throw documentError("contains another archive, which is not supported");
    }
    yield* plainItems(name, kind, all, limits);
  });
}

async function* decompress(
  compression: keyof typeof DECOMPRESSORS,
  compressed: Chunks,
  budget: Budget,
): AsyncGenerator<Uint8Array> {
  async function* counted() {
    for await (const chunk of compressed) {
      budget.compressed += chunk.length;
      yield chunk;
    }
  }
  const decompressed = pipeline(Readable.from(counted()), DECOMPRESSORS[compression](), () => {});
  try {
    for await (const chunk of decompressed as unknown as Chunks) {
      budget.expand(chunk.length);
      yield chunk;
    }
  } catch (error) {
    throw archiveError(compression, error);
  }
}

async function* tarItems(
  archive: string,
  chunks: Chunks,
  limits: SourceLimits,
): AsyncGenerator<Item> {
  const budget = new Budget(limits);
  const entries = extract();
  pipeline(Readable.from(chunks), entries as unknown as NodeJS.WritableStream, () => {});
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
