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

/** Creates a directory with mode 0700, and its missing parents. */
export function makePrivateFolder(path: string): void {
  if (!existsSync(path)) {
    const above = dirname(path);
    if (!existsSync(above)) makePrivateFolder(above);
    mkdirSync(path, { mode: 0o700, recursive: true });
    copyOwner(path, above);
  }
}

/** Writes a file atomically: after a crash, it has the old or the new content. */
export function writeAtomically(path: string, text: string, mode: number): void {
  const folder = dirname(path);
  const draft = join(folder, `.${uniqueName()}`);
  try {
    const file = openSync(draft, "wx", mode);
    try {
      writeSync(file, text);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    // The umask does not apply.
    chmodSync(draft, mode);
    copyOwner(draft, path, folder);
    renameSync(draft, path);
  } finally {
    rmSync(draft, { force: true });
  }
}

function uniqueName(): string {
  // Loaded on demand: most commands write no file.
  return process.getBuiltinModule("node:crypto").randomUUID();
}

/** Throws if files cannot be written in a directory. */
export function requireWritable(folder: string): void {
  // A unique name: several commands may run at once.
  const trial = join(folder, `.${uniqueName()}`);
  writeAtomically(trial, "", 0o600);
  rmSync(trial);
}

/**
 * Gives files that root creates in a user's home to that user: after `sudo wharf`, the user's own
 * commands must still be able to read them. The owner is that of the first existing path.
 */
function copyOwner(path: string, ...like: readonly string[]): void {
  if (process.getuid?.() !== 0) return;
  for (const other of like) {
    // A single call: another command may remove the file in between.
    const found = statSync(other, { throwIfNoEntry: false });
    if (found === undefined) continue;
    if (found.uid !== 0) chownSync(path, found.uid, found.gid);
    return;
  }
}
