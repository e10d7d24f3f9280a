import { accessSync, closeSync, constants, existsSync, mkdirSync, openSync } from "node:fs";
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

/**
 * Creates a file that only the service user can read, unless it exists. An existing one is not opened:
 * closing it would release all locks that SQLite holds on it in this process.
 */
export function createFile(path: string): void {
  try {
    closeSync(openSync(path, "wx", 0o600));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
}

function existingPartOf(path: string): string {
  return existsSync(path) ? path : existingPartOf(dirname(path));
}
