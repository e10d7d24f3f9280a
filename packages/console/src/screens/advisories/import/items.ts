import {
  blobBytes,
  fileItems,
  type Item,
  isDocumentName,
  SOURCE_LIMITS,
  type SourceLimits,
} from "@wharf/advisories/archives";

/** A file that a person chose or dropped, or that was in a dropped folder. */
export interface NamedFile {
  /** The path within the dropped folder; only displayed. */
  readonly name: string;
  readonly file: File;
  /** Whether it was found in a folder: of those, only documents and archives are read. */
  readonly isInFolder: boolean;
}

/** Limits in a browser, which has less memory than the command. */
const LIMITS: SourceLimits = { ...SOURCE_LIMITS, expandedBytes: 512 * 1024 ** 2 };

/** The documents of files, in the order of their names, as the command reads them. */
export async function* itemsOf(
  files: readonly NamedFile[],
  onRead: () => void,
  limits: SourceLimits = LIMITS,
): AsyncGenerator<Item> {
  for (const { name, file, isInFolder } of files) {
    for await (const item of fileItems(name, blobBytes(file), limits)) {
      const isFile = item.kind === "document" && item.isEntry !== true;
      if (!isFile) yield item;
      // A file that was chosen counts as a document, whatever its name is.
      else if (isInFolder && !isDocumentName(name.replace(/\.gz$/i, ""))) {
        yield { kind: "skipped", name };
      } else yield { ...item, time: file.lastModified, isEntry: isInFolder };
    }
    onRead();
  }
}
