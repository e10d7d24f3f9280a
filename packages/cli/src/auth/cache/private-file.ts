import { randomUUID } from "node:crypto";
import {
  chmodSync,
  chownSync,
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from "node:fs";
import { dirname, join } from "node:path";

/** Makes a folder that only its owner can look into, and those above it that are missing. */
export function makePrivateFolder(path: string): void {
  if (!existsSync(path)) {
    const above = dirname(path);
    if (!existsSync(above)) makePrivateFolder(above);
    mkdirSync(path, { mode: 0o700, recursive: true });
    keepOwner(path, above);
  }
}

/**
 * Writes a file at once and whole: nobody reads half of it, and a crash leaves the old one or the
 * new one.
 */
export function writeWhole(path: string, text: string, mode: number): void {
  const folder = dirname(path);
  const draft = join(folder, `.${randomUUID()}`);
  try {
    const file = openSync(draft, "wx", mode);
    try {
      writeSync(file, text);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    // What the process masks out of new files is not for us to lose.
    chmodSync(draft, mode);
    keepOwner(draft, path, folder);
    renameSync(draft, path);
  } finally {
    rmSync(draft, { force: true });
  }
}

/** Makes sure that files can be written in a folder, and leaves nothing there. */
export function mustBeWritable(folder: string): void {
  // Many commands may try at once: each its own file.
  const trial = join(folder, `.${randomUUID()}`);
  writeWhole(trial, "", 0o600);
  rmSync(trial);
}

/**
 * Gives what root makes within somebody's home to them: after one `sudo wharf`, their own commands
 * must still be able to read it. The owner is that of the first of the paths that is there.
 */
function keepOwner(path: string, ...like: readonly string[]): void {
  if (process.getuid?.() !== 0) return;
  for (const other of like) {
    // Asked for at once: between two questions, another command may have removed it.
    const found = statSync(other, { throwIfNoEntry: false });
    if (found === undefined) continue;
    if (found.uid !== 0) chownSync(path, found.uid, found.gid);
    return;
  }
}
