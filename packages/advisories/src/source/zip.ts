import { statSync } from "node:fs";
import { crc32 } from "node:zlib";
import { type Entry, openPromise, type ZipFile } from "yauzl";
import { tooLarge } from "../read/decode.ts";
import { DocumentError, documentError } from "../read/document-error.ts";
import { Budget, type SourceLimits } from "./budget.ts";
import { readAll } from "./chunks.ts";
import { archiveError, catchArchiveErrors, type Item, isDocumentName } from "./item.ts";

/**
 * The items of a zip file.
 *
 * @example for await (const item of zipItems("osv.zip", "/tmp/osv.zip", SOURCE_LIMITS)) …
 */
export async function* zipItems(
  archive: string,
  path: string,
  limits: SourceLimits,
): AsyncGenerator<Item> {
  yield* catchArchiveErrors(archive, async function* () {
    const zip = await openZip(path);
    try {
      const budget = new Budget(limits, statSync(path).size);
      for await (const entry of zip.eachEntry()) {
        budget.entry();
        const entryPath = (entry.fileName as unknown as Buffer).toString("utf8");
        const name = `${archive}/${entryPath}`;
        if (entryPath.endsWith("/")) continue;
        if (!isDocumentName(entryPath) || isLink(entry)) yield { kind: "skipped", name };
        else yield await entryItem(name, zip, entry, budget, limits.documentBytes);
      }
    } catch (error) {
      throw archiveError("zip", error);
    } finally {
      zip.close();
    }
  });
}

/** The number of entries that a zip file claims; undefined if it is invalid, which zipItems reports. */
export async function countEntries(path: string): Promise<number | undefined> {
  try {
    const zip = await openZip(path);
    zip.close();
    return zip.entryCount;
  } catch {
    return undefined;
  }
}

async function openZip(path: string): Promise<ZipFile> {
  try {
    // Names are only displayed, so path traversal in them does no harm.
    return await openPromise(path, { autoClose: false, decodeStrings: false });
  } catch (error) {
    throw archiveError("zip", error);
  }
}

/** Unix keeps the file type in the upper half. */
function isLink({ externalFileAttributes }: Entry): boolean {
  return ((externalFileAttributes >>> 16) & 0o170000) === 0o120000;
}

async function entryItem(
  name: string,
  zip: ZipFile,
  entry: Entry,
  budget: Budget,
  documentBytes: number,
): Promise<Item> {
  const reject = (error: DocumentError): Item => ({ kind: "rejected", name, error });
  if (entry.uncompressedSize > documentBytes) return reject(tooLarge(documentBytes));
  if (entry.isEncrypted()) return reject(documentError("is encrypted"));
  // The claimed size counts before decompression; the library stops an entry that exceeds it.
  budget.expand(entry.uncompressedSize);
  try {
    const bytes = await readAll(await zip.openReadStreamPromise(entry), documentBytes);
    if (crc32(bytes) !== entry.crc32) throw documentError("has a wrong checksum");
    const time = entry.getLastModDate().getTime();
    return { kind: "document", name, bytes, time, isEntry: true };
  } catch (error) {
    const converted = archiveError("zip", error);
    if (converted instanceof DocumentError) return reject(converted);
    throw documentError(`cannot be read: ${(error as Error).message}`);
  }
}
