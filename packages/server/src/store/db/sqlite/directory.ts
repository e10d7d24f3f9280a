import { accessSync, constants, existsSync, mkdirSync } from "node:fs";
import { dirname } from "node:path";

/** Creates a directory that only the service user can read. */
export function createDirectory(path: string): void {
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 });
  } catch (error) {
    // Node.js reports a read-only disk as ENOENT; this throws EROFS.
    if ((error as NodeJS.ErrnoException).code === "ENOENT")
      accessSync(existingPartOf(path), constants.W_OK);
    throw error;
  }
}

function existingPartOf(path: string): string {
  return existsSync(path) ? path : existingPartOf(dirname(path));
}
