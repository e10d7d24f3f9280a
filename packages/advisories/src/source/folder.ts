import { readdirSync, realpathSync, statSync } from "node:fs";
import { join, relative, sep } from "node:path";
import { isDocumentName } from "./item.ts";

export interface Files {
  readonly documents: readonly string[];
  /** What lies beside them. */
  readonly others: readonly string[];
}

/**
 * The files below a folder, in the order of their names. Links are followed to files of the same folder
 * alone: folders could lead back, and whoever made the folder could lead to what is not theirs to show.
 *
 * @example filesBelow("advisories").documents // ["advisories/curl.advisories.yaml", …]
 */
export function filesBelow(folder: string): Files {
  const documents: string[] = [];
  const others: string[] = [];
  const root = realpathSync(folder);
  const look = (within: string) => {
    const entries = readdirSync(within, { withFileTypes: true });
    for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
      const path = join(within, entry.name);
      if (entry.isDirectory()) {
        if (!entry.name.startsWith(".")) look(path);
        continue;
      }
      const isFile = entry.isFile() || (entry.isSymbolicLink() && leadsToFile(path, root));
      const isDocument = isFile && isDocumentName(relative(folder, path));
      (isDocument ? documents : others).push(path);
    }
  };
  look(folder);
  return { documents, others };
}

function leadsToFile(link: string, root: string): boolean {
  try {
    const path = realpathSync(link);
    return path.startsWith(root.endsWith(sep) ? root : root + sep) && statSync(path).isFile();
  } catch {
    // It leads nowhere, or in a circle.
    return false;
  }
}
