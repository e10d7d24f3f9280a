import { readdirSync, realpathSync, statSync } from "node:fs";
import { join, relative, sep } from "node:path";
import { isDocumentName } from "./item.ts";

export interface Files {
  readonly documents: readonly string[];
  /** All other files, links and special files. */
  readonly others: readonly string[];
}

/**
 * The files below a folder, ordered by name. Follows links only to files within the folder: a link to a folder
 * may be a cycle, and a link to the outside may expose files that the author of the folder must not read.
 *
 * @example filesBelow("advisories").documents // ["advisories/curl.advisories.yaml", …]
 */
export function filesBelow(folder: string): Files {
  const documents: string[] = [];
  const others: string[] = [];
  const root = realpathSync(folder);
  const walk = (parent: string) => {
    const entries = readdirSync(parent, { withFileTypes: true });
    for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
      const path = join(parent, entry.name);
      if (entry.isDirectory()) {
        if (!entry.name.startsWith(".")) walk(path);
        continue;
      }
      const isFile = entry.isFile() || (entry.isSymbolicLink() && isLinkToFile(path, root));
      const isDocument = isFile && isDocumentName(relative(folder, path));
      (isDocument ? documents : others).push(path);
    }
  };
  walk(folder);
  return { documents, others };
}

function isLinkToFile(link: string, root: string): boolean {
  try {
    const path = realpathSync(link);
    return path.startsWith(root.endsWith(sep) ? root : root + sep) && statSync(path).isFile();
  } catch {
    // A broken link or a cycle.
    return false;
  }
}
