import { pipeline, Readable } from "node:stream";
import { createGunzip, createZstdDecompress } from "node:zlib";
import { extract, type Header } from "tar-stream";
import { tooLarge } from "../read/decode.ts";
import { READ_LIMITS } from "../read/limits.ts";
import { unreadable } from "../read/unreadable.ts";
import { Budget } from "./budget.ts";
import { type Chunks, gather, kindOf, type Packing, peek } from "./chunks.ts";
import { type Item, isDocumentName } from "./item.ts";
import { brokenArchive, refusing } from "./refusing.ts";
import { spooled } from "./spool.ts";
import { zipItems } from "./zip.ts";

/**
 * What a stream holds: one document, or an archive, told by its first bytes. Archives in archives
 * stay closed.
 *
 * @example for await (const item of streamItems("-", process.stdin)) …
 */
export async function* streamItems(name: string, chunks: Chunks): AsyncGenerator<Item> {
  const { head, all } = await peek(chunks);
  const kind = kindOf(head);
  if (kind === "zip") {
    return yield* refusing(name, () => spooled(all, (path) => zipItems(name, path)));
  }
  if (kind === "tar" || kind === "document") return yield* plainItems(name, kind, all);
  return yield* packedItems(name, kind, all);
}

/** What unpacks what is packed as one. */
const UNPACKING = { gzip: createGunzip, zstd: createZstdDecompress } as const;

function isUnpacked(packing: Packing): packing is keyof typeof UNPACKING {
  return Object.hasOwn(UNPACKING, packing);
}

async function* plainItems(name: string, kind: string, all: Chunks): AsyncGenerator<Item> {
  if (kind === "tar") return yield* refusing(name, () => tarItems(name, all));
  yield* refusing(name, async function* () {
    yield { kind: "document", name, bytes: await gather(all) };
  });
}

async function* packedItems(name: string, packing: Packing, packed: Chunks): AsyncGenerator<Item> {
  yield* refusing(name, async function* () {
    if (!isUnpacked(packing)) throw unreadable(`is packed with ${packing}, which is not read`);
    const { head, all } = await peek(unpack(packing, packed, new Budget()));
    const kind = kindOf(head);
    if (kind !== "tar" && kind !== "document") throw unreadable("holds another archive");
    yield* plainItems(name, kind, all);
  });
}

async function* unpack(
  packing: keyof typeof UNPACKING,
  packed: Chunks,
  budget: Budget,
): AsyncGenerator<Uint8Array> {
  async function* counted() {
    for await (const chunk of packed) {
      budget.packed += chunk.length;
      yield chunk;
    }
  }
  const unpacking = pipeline(Readable.from(counted()), UNPACKING[packing](), () => {});
  try {
    for await (const chunk of unpacking as unknown as Chunks) {
      budget.unpack(chunk.length);
      yield chunk;
    }
  } catch (error) {
    throw brokenArchive(packing, error);
  }
}

async function* tarItems(archive: string, chunks: Chunks): AsyncGenerator<Item> {
  const budget = new Budget();
  const entries = extract();
  pipeline(Readable.from(chunks), entries as unknown as NodeJS.WritableStream, () => {});
  try {
    for await (const entry of entries) {
      budget.entry();
      if (entry.header.type !== "directory") {
        yield await entryItem(archive, entry.header, entry as unknown as Chunks);
      }
      entry.resume();
    }
  } catch (error) {
    throw brokenArchive("tar", error);
  }
}

async function entryItem(archive: string, header: Header, entry: Chunks): Promise<Item> {
  const { name: own, size, type, pax } = header;
  const name = `${archive}/${own}`;
  if (!isDocumentName(own) || LINKS.has(type ?? "")) return { kind: "skipped", name };
  const isSparse = Object.keys(pax ?? {}).some((key) => key.startsWith("GNU.sparse."));
  if (isSparse || !FILES.has(type ?? "")) {
    return { kind: "refused", name, why: unreadable("is a kind of file that is not read") };
  }
  if (size > READ_LIMITS.documentBytes) return { kind: "refused", name, why: tooLarge() };
  return { kind: "document", name, bytes: await gather(entry) };
}

/** What is all there where it is named. */
const FILES: ReadonlySet<string> = new Set(["file", "contiguous-file"]);

/** What is there by another name, or nothing to read. */
const LINKS: ReadonlySet<string> = new Set([
  ...["link", "symlink", "character-device", "block-device", "fifo"],
]);
