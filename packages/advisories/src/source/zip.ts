import { statSync } from "node:fs";
import { crc32 } from "node:zlib";
import { type Entry, openPromise, type ZipFile } from "yauzl";
import { tooLarge } from "../read/decode.ts";
import { READ_LIMITS } from "../read/limits.ts";
import { Unreadable, unreadable } from "../read/unreadable.ts";
import { Budget } from "./budget.ts";
import { gather } from "./chunks.ts";
import { type Item, isDocumentName } from "./item.ts";
import { brokenArchive, refusing } from "./refusing.ts";

/**
 * The documents of a zip file.
 *
 * @example for await (const item of zipItems("osv.zip", "/tmp/osv.zip")) …
 */
export async function* zipItems(archive: string, path: string): AsyncGenerator<Item> {
  yield* refusing(archive, async function* () {
    const zip = await openZip(path);
    try {
      yield* entriesOf(archive, zip, new Budget(statSync(path).size));
    } catch (error) {
      throw brokenArchive("zip", error);
    } finally {
      zip.close();
    }
  });
}

/** How many entries a zip file says that it has. */
export async function countEntries(path: string): Promise<number | undefined> {
  try {
    const zip = await openZip(path);
    zip.close();
    return zip.entryCount;
  } catch {
    // It will be told when it is read.
    return undefined;
  }
}

async function openZip(path: string): Promise<ZipFile> {
  try {
    // Names are only shown, so odd ones do no harm.
    return await openPromise(path, { autoClose: false, decodeStrings: false });
  } catch (error) {
    throw brokenArchive("zip", error);
  }
}

async function* entriesOf(archive: string, zip: ZipFile, budget: Budget): AsyncGenerator<Item> {
  for await (const entry of zip.eachEntry()) {
    budget.entry();
    const own = (entry.fileName as unknown as Buffer).toString("utf8");
    const name = `${archive}/${own}`;
    if (own.endsWith("/")) continue;
    if (!isDocumentName(own) || isLink(entry)) yield { kind: "skipped", name };
    else yield await entryItem(name, zip, entry, budget);
  }
}

/** As Unix writes them: the type of file is in the upper half. */
function isLink({ externalFileAttributes }: Entry): boolean {
  return ((externalFileAttributes >>> 16) & 0o170000) === 0o120000;
}

async function entryItem(name: string, zip: ZipFile, entry: Entry, budget: Budget): Promise<Item> {
  if (entry.uncompressedSize > READ_LIMITS.documentBytes) {
    return { kind: "refused", name, why: tooLarge() };
  }
  if (entry.isEncrypted()) return { kind: "refused", name, why: unreadable("is encrypted") };
  // What it says counts before it is unpacked; the library stops where it was not the truth.
  budget.unpack(entry.uncompressedSize);
  try {
    const bytes = await gather(await zip.openReadStreamPromise(entry));
    if (crc32(bytes) !== entry.crc32)
      throw unreadable("is not what was packed: its checksum differs");
    return { kind: "document", name, bytes };
  } catch (error) {
    const why = brokenArchive("zip", error);
    if (why instanceof Unreadable) return { kind: "refused", name, why };
    throw unreadable(`cannot be read: ${(error as Error).message}`);
  }
}
