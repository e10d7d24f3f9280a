import { readdirSync, statSync } from "node:fs";
import { join, relative } from "node:path";
import { isDocumentName } from "./item.ts";

export interface Files {
  readonly documents: readonly string[];
  /** What lies beside them. */
  readonly others: readonly string[];
}

/**
 * The files below a folder, in the order of their names. Links lead to files, not to folders, which
 * could lead back.
 *
 * @example filesBelow("advisories").documents // ["advisories/curl.advisories.yaml", …]
 */
export function filesBelow(folder: string): Files {
  const documents: string[] = [];
  const others: string[] = [];
  const look = (within: string) => {
    const entries = readdirSync(within, { withFileTypes: true });
    for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
      const path = join(within, entry.name);
      if (entry.isDirectory() && !entry.name.startsWith(".")) look(path);
      else if (entry.isFile() || (entry.isSymbolicLink() && isFile(path))) {
        (isDocumentName(relative(folder, path)) ? documents : others).push(path);
      }
    }
  };
  look(folder);
  return { documents, others };
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true;
}
