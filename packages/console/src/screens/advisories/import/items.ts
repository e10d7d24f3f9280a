import { DocumentError, type Item, isDocumentName, READ_LIMITS } from "@wharf/advisories/import";
import { importTexts } from "../../../texts/advisories.ts";
import {
  ArchiveError,
  bytesOf,
  type Entry,
  gunzip,
  kindOf,
  tarEntries,
  zipEntries,
} from "./archives.ts";
import type { NamedFile } from "./files.ts";

/** The documents of files, in the order of their names, as the command reads them. */
export async function* itemsOf(
  files: readonly NamedFile[],
  onRead: () => void,
): AsyncGenerator<Item> {
  for (const { name, file, isInFolder } of files) {
    yield* itemsIn(name, file, !isInFolder);
    onRead();
  }
}

/** What a file contains. A file that was chosen by itself counts as a document, whatever its name is. */
async function* itemsIn(name: string, blob: Blob, isChosen: boolean): AsyncGenerator<Item> {
  try {
    switch (await kindOf(blob)) {
      case "zip":
        return yield* entriesIn(name, zipEntries(blob));
      case "tar":
        return yield* entriesIn(name, tarEntries(blob));
      case "gzip": {
        const content = await gunzip(blob);
        const inner = name.replace(/\.(gz|tgz)$/i, "");
        if ((await kindOf(content)) === "tar") return yield* entriesIn(name, tarEntries(content));
        return yield await documentOf(inner, content, isChosen);
      }
      case "zstd":
        return yield rejected(name, importTexts.zstd);
      default:
        yield await documentOf(name, blob, isChosen);
    }
  } catch (thrown) {
    if (!(thrown instanceof ArchiveError)) throw thrown;
    const reason = thrown.isTooLarge
      ? importTexts.archiveTooLarge
      : `${importTexts.notAnArchive}: ${thrown.message}`;
    yield rejected(name, reason);
  }
}

async function* entriesIn(name: string, entries: AsyncIterable<Entry>): AsyncGenerator<Item> {
  for await (const entry of entries) {
    const shown = `${name}/${entry.name}`;
    if (!isDocumentName(entry.name)) yield { kind: "skipped", name: shown };
    else if (entry.size > READ_LIMITS.documentBytes) yield tooLarge(shown);
    else yield await documentOf(shown, await entry.content(), false);
  }
}

async function documentOf(name: string, blob: Blob, isChosen: boolean): Promise<Item> {
  if (!isChosen && !isDocumentName(name)) return { kind: "skipped", name };
  if (blob.size > READ_LIMITS.documentBytes) return tooLarge(name);
  const time = blob instanceof File ? blob.lastModified : undefined;
  return { kind: "document", name, bytes: await bytesOf(blob), time, isEntry: !isChosen };
}

function tooLarge(name: string): Item {
  return rejected(name, importTexts.tooLarge);
}

function rejected(name: string, reason: string): Item {
  return { kind: "rejected", name, error: new DocumentError([{ path: "", reason }]) };
}
