import { closeSync, createReadStream, openSync, readFileSync, readSync, statSync } from "node:fs";
import { tooLarge } from "../read/decode.ts";
import { READ_LIMITS } from "../read/limits.ts";
import { unreadable } from "../read/unreadable.ts";
import { type Chunks, kindOf } from "./chunks.ts";
import { filesBelow } from "./folder.ts";
import type { Item } from "./item.ts";
import { streamItems } from "./stream.ts";
import { countEntries, zipItems } from "./zip.ts";

/** Where documents come from. */
export interface Source {
  /** How many items there are, where that can be known beforehand. */
  readonly total: number | undefined;
  items(): AsyncGenerator<Item>;
}

/** What stands for standard input. */
const STANDARD_INPUT = "-";

/**
 * Opens a file, a folder with all that is below it, an archive, or standard input. Throws what the
 * system says when it is not there.
 *
 * @example const { total, items } = await openSource("advisories/", process.stdin);
 */
export async function openSource(path: string, standardInput: Chunks): Promise<Source> {
  if (path === STANDARD_INPUT) {
    return { total: undefined, items: () => streamItems("<stdin>", standardInput) };
  }
  const stat = statSync(path);
  if (stat.isDirectory()) {
    const { documents, others } = filesBelow(path);
    return { total: documents.length + others.length, items: () => folderItems(documents, others) };
  }
  const stream = () => streamItems(path, createReadStream(path));
  // Pipes and devices have no size, and nothing can be looked at twice.
  if (!stat.isFile()) return { total: undefined, items: stream };
  const kind = kindOf(headOf(path));
  if (kind === "zip") return { total: await countEntries(path), items: () => zipItems(path, path) };
  if (kind !== "document") return { total: undefined, items: stream };
  return { total: 1, items: () => folderItems([path], []) };
}

async function* folderItems(
  documents: readonly string[],
  others: readonly string[],
): AsyncGenerator<Item> {
  for (const name of others) yield { kind: "skipped", name };
  for (const name of documents) yield fileItem(name);
}

/** Read at once: that takes a tenth of the time that waiting for each small file does. */
function fileItem(name: string): Item {
  try {
    if (statSync(name).size > READ_LIMITS.documentBytes) {
      return { kind: "refused", name, why: tooLarge() };
    }
    return { kind: "document", name, bytes: readFileSync(name) };
  } catch (error) {
    // Gone, or not for us: the others can be read all the same.
    return { kind: "refused", name, why: unreadable(`cannot be read: ${systemsWords(error)}`) };
  }
}

/** @example systemsWords(error) // "EACCES: permission denied" */
function systemsWords(error: unknown): string {
  return (error as Error).message.split(", ")[0] as string;
}

function headOf(path: string): Buffer {
  const head = Buffer.alloc(512);
  const file = openSync(path, "r");
  try {
    return head.subarray(0, readSync(file, head));
  } finally {
    closeSync(file);
  }
}
