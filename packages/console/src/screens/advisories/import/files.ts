import type { NamedFile } from "./items.ts";

/** The files of a drop, folders with everything below them. */
export async function droppedFiles({ items, files }: DataTransfer): Promise<NamedFile[]> {
  // The items are gone after the first await. What another program drops may have no entries.
  const entries = [...items].flatMap((item) => item.webkitGetAsEntry() ?? []);
  if (entries.length === 0) return chosenFiles(files);
  const found: NamedFile[] = [];
  for (const entry of entries) await addFiles(entry, false, found);
  return found;
}

export function chosenFiles(files: FileList): NamedFile[] {
  return [...files].map((file) => ({ name: file.name, file, isInFolder: false }));
}

async function addFiles(
  entry: FileSystemEntry,
  isInFolder: boolean,
  found: NamedFile[],
): Promise<void> {
  const name = entry.fullPath.replace(/^\//, "");
  if (entry.isFile) {
    const file = await new Promise<File>((resolve, reject) =>
      (entry as FileSystemFileEntry).file(resolve, reject),
    );
    found.push({ name, file, isInFolder });
    return;
  }
  const reader = (entry as FileSystemDirectoryEntry).createReader();
  for (;;) {
    // A browser returns a hundred at a time.
    const some = await new Promise<FileSystemEntry[]>((resolve, reject) =>
      reader.readEntries(resolve, reject),
    );
    if (some.length === 0) return;
    for (const one of some) await addFiles(one, true, found);
  }
}
