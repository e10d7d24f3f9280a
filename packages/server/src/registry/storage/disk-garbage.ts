import { link, readdir, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import type { ContentRows, Garbage, Share } from "./content-storage.ts";
import { readFolderId } from "./folder-id.ts";

const ALL: Share = { part: 0, of: 1 };

/** Names that are looked up in one statement: event loops of servers answer requests in between. */
const BATCH_SIZE = 500;

/** A blob's file that was moved away to be removed. */
const ORPHAN = /^(sha\d+)-([0-9a-f]+)\.orphan$/;

/**
 * Removes files that crashes have left: parts that no upload lists, and blobs without a row.
 *
 * A push of the same digest may store its file at any moment, and add its row later, so a look at rows and files is no
 * reason to remove a blob's file. Three things make it safe:
 * - A push sets the file's time before the rename that stores it (DiskStorage.store), and adds the row within minutes. A
 *   file with an old time and without a row therefore belongs to no push.
 * - The file is not removed but moved away, which is atomic; time and row are then checked again, of the file that was
 *   really moved. If a push has stored its own in between, it is put back.
 * - Files that were moved away are checked at each run, so a crash between the two steps loses nothing.
 */
export async function removeDiskGarbage(
  folder: string,
  before: number,
  rows: ContentRows,
  share: Share = ALL,
): Promise<Garbage> {
  await checkFolder(folder, rows);
  const uploads = join(folder, "uploads");
  for (const name of await namesIn(uploads)) {
    if (ORPHAN.test(name)) await settleOrphan(folder, name, before, rows);
  }
  const parts = await removeParts(uploads, before, rows);
  let blobs = 0;
  for (const algorithm of await namesIn(join(folder, "blobs"))) {
    const prefixes = await namesIn(join(folder, "blobs", algorithm));
    for (const prefix of prefixes.filter((one) => isOf(share, one))) {
      const at = join(folder, "blobs", algorithm, prefix);
      for (const hex of await withoutRow(algorithm, at, rows)) {
        if (await removeBlob(folder, algorithm, hex, before, rows)) blobs++;
      }
    }
  }
  return { parts, blobs };
}

/** Removes the files of blobs whose rows were deleted, in the same way. */
export async function removeDiskBlobs(
  folder: string,
  digests: readonly string[],
  before: number,
  rows: ContentRows,
): Promise<void> {
  await checkFolder(folder, rows);
  for (const digest of digests) {
    const [algorithm = "", hex = ""] = digest.split(":");
    await removeBlob(folder, algorithm, hex, before, rows);
  }
}

/** Replicas may have been started with different folders before the first push. */
async function checkFolder(folder: string, rows: ContentRows): Promise<void> {
  if (readFolderId(folder) === (await rows.folder())) return;
  throw new Error(`${folder} is not the folder that replicas share: see --registry-storage`);
}

/** Removes the file of a blob, if it is older than a time and still has no row. Returns whether it did. */
async function removeBlob(
  folder: string,
  algorithm: string,
  hex: string,
  before: number,
  rows: ContentRows,
): Promise<boolean> {
  const path = join(folder, "blobs", algorithm, hex.slice(0, 2), hex);
  const time = await timeOf(path);
  if (time === undefined || time >= before) return false;
  const name = `${algorithm}-${hex}.orphan`;
  await rename(path, join(folder, "uploads", name)).catch(ignoreMissing);
  return settleOrphan(folder, name, before, rows);
}

function isOf({ part, of }: Share, prefix: string): boolean {
  return Number.parseInt(prefix, 16) % of === part;
}

/** Names of files whose blobs have no row. */
async function withoutRow(algorithm: string, at: string, rows: ContentRows): Promise<string[]> {
  const names = await namesIn(at);
  const missing: string[] = [];
  for (let next = 0; next < names.length; next += BATCH_SIZE) {
    const batch = names.slice(next, next + BATCH_SIZE);
    const found = await rows.blobs(batch.map((hex) => `${algorithm}:${hex}`));
    missing.push(...batch.filter((hex) => !found.has(`${algorithm}:${hex}`)));
  }
  return missing;
}

/** Rows are read after the files: an upload lists a part once it is complete. */
async function removeParts(uploads: string, before: number, rows: ContentRows): Promise<number> {
  const names = (await namesIn(uploads)).filter((name) => !ORPHAN.test(name));
  const old = await olderThan(uploads, names, before);
  if (old.length === 0) return 0;
  const listed = await rows.parts();
  const unlisted = old.filter((name) => !listed.has(name));
  for (const name of unlisted) await rm(join(uploads, name), { force: true });
  return unlisted.length;
}

/** Removes a file that was moved away, or puts it back if a push has stored it. Returns whether it was removed. */
async function settleOrphan(
  folder: string,
  name: string,
  before: number,
  rows: ContentRows,
): Promise<boolean> {
  const [, algorithm = "", hex = ""] = ORPHAN.exec(name) ?? [];
  const path = join(folder, "uploads", name);
  const time = await timeOf(path);
  if (time === undefined) return false;
  const digest = `${algorithm}:${hex}`;
  const isUsed = time >= before || (await rows.blobs([digest])).has(digest);
  if (isUsed) {
    // A push that came after has stored the same content again.
    await link(path, join(folder, "blobs", algorithm, hex.slice(0, 2), hex)).catch(ignoreExisting);
  }
  await rm(path, { force: true });
  return !isUsed;
}

async function olderThan(
  folder: string,
  names: readonly string[],
  before: number,
): Promise<string[]> {
  const old: string[] = [];
  for (const name of names) {
    const time = await timeOf(join(folder, name));
    if (time !== undefined && time < before) old.push(name);
  }
  return old;
}

async function timeOf(path: string): Promise<number | undefined> {
  return (await stat(path).catch(ignoreMissing))?.mtimeMs;
}

async function namesIn(folder: string): Promise<string[]> {
  return (await readdir(folder).catch(ignoreMissing)) ?? [];
}

function ignoreMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== "ENOENT") throw error;
}

function ignoreExisting(error: NodeJS.ErrnoException): undefined {
  if (error.code !== "EEXIST") throw error;
}
