import { closeSync, createReadStream, openSync, readFileSync, readSync, statSync } from "node:fs";
import { pipeline, Readable } from "node:stream";
import { createZstdDecompress } from "node:zlib";
import { tooLarge } from "../read/decode.ts";
import { documentError } from "../read/document-error.ts";
import { SOURCE_LIMITS, type SourceLimits } from "./budget.ts";
import { type Chunks, kindOf } from "./chunks.ts";
import { openBytes } from "./file-bytes.ts";
import { filesBelow } from "./folder.ts";
import type { Item } from "./item.ts";
import { spooled } from "./spool.ts";
import { fileItems, type Platform, streamItems } from "./stream.ts";
import { countEntries } from "./zip.ts";

/** A file, a folder, an archive or standard input. */
export interface Source {
  /** The number of items, if it is known in advance. */
  readonly total: number | undefined;
  items(): AsyncGenerator<Item>;
}

const STANDARD_INPUT = "-";

const NODE: Platform = { decompressors: { zstd }, spool: spooled };

/**
 * Opens a file, a folder with its subfolders, an archive, or standard input. Throws a system error if the path
 * does not exist.
 *
 * @example const { total, items } = await openSource("advisories/", process.stdin);
 */
export async function openSource(
  path: string,
  standardInput: Chunks,
  limits: SourceLimits = SOURCE_LIMITS,
): Promise<Source> {
  if (path === STANDARD_INPUT) {
    return { total: undefined, items: () => streamItems("<stdin>", standardInput, limits, NODE) };
  }
  const stat = statSync(path);
  if (stat.isDirectory()) {
    const { documents, others } = filesBelow(path);
    const total = documents.length + others.length;
    return { total, items: () => folderItems(documents, others, limits) };
  }
  // Pipes and devices have no size and can be read only once.
  if (!stat.isFile()) {
    const items = () => streamItems(path, createReadStream(path), limits, NODE);
    return { total: undefined, items };
  }
  const kind = kindOf(headOf(path));
  if (kind === "document") {
    return {
      total: 1,
      items: async function* () {
        yield fileItem(path, limits);
      },
    };
  }
  return {
    total: kind === "zip" ? await entryCount(path) : undefined,
    items: () => openBytes(path, (file) => fileItems(path, file, limits, NODE)),
  };
}

async function entryCount(path: string): Promise<number | undefined> {
  const counts = openBytes(path, async function* (file) {
    yield await countEntries(file);
  });
  return (await Array.fromAsync(counts))[0];
}

/** Decompresses Zstandard. */
function zstd(compressed: Chunks): AsyncIterable<Uint8Array> {
  return pipeline(Readable.from(compressed), createZstdDecompress(), () => {}) as never;
}

async function* folderItems(
  documents: readonly string[],
  others: readonly string[],
  limits: SourceLimits,
): AsyncGenerator<Item> {
  for (const name of others) yield { kind: "skipped", name };
  for (const name of documents) {
    const item = fileItem(name, limits);
    yield item.kind === "document" ? { ...item, isEntry: true } : item;
  }
}

/** Synchronous, which takes a tenth of the time for many small files. */
function fileItem(name: string, { documentBytes }: SourceLimits): Item {
  try {
    const { size, mtimeMs: time } = statSync(name);
    if (size > documentBytes) return { kind: "rejected", name, error: tooLarge(documentBytes) };
    return { kind: "document", name, bytes: readFileSync(name), time: Math.trunc(time) };
  } catch (error) {
    // Deleted or not permitted: the other files can still be read.
    const reason = `cannot be read: ${systemMessage(error)}`;
    return { kind: "rejected", name, error: documentError(reason) };
  }
}

/** @example systemMessage(error) // "EACCES: permission denied" */
function systemMessage(error: unknown): string {
  return (error as Error).message.split(", ")[0] as string;
}

function headOf(path: string): Uint8Array {
  const head = Buffer.alloc(512);
  const file = openSync(path, "r");
  try {
    return head.subarray(0, readSync(file, head));
  } finally {
    closeSync(file);
  }
}
