import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { type CheckProgress, MAX_PROBLEMS, type StoreProblem } from "../../store/check/problem.ts";
import type { Reader } from "../../store/db/connection.ts";
import {
  blobsAfter,
  countBlobs,
  type ExaminedBlob,
  findExisting,
} from "../../store/tables/registry/blobs.ts";
import { boundFolder, readFolderId } from "./folder-id.ts";

const BATCH_SIZE = 500;

/** Younger files may belong to a push that has not added its row. */
const ORPHAN_MS = 24 * 3_600_000;

/** Files of blobs without a row, which servers remove. */
export interface Orphans {
  readonly files: number;
  readonly bytes: number;
}

/**
 * Compares the rows of blobs with their files: that they exist and have their size, and on request, their digest.
 * Hashing takes hours, so this is not done in one transaction: each batch is read on its own, and a blob with a problem
 * again.
 */
export async function checkContent(
  reader: Reader,
  folder: string,
  { rehash, progress }: { readonly rehash: boolean; readonly progress: CheckProgress },
): Promise<{ readonly problems: StoreProblem[]; readonly orphans: Orphans }> {
  const bound = await boundFolder(reader);
  const total = await countBlobs(reader);
  if (total > 0 && bound !== undefined && bound !== readFolderId(folder)) {
    const problem = "is not the folder of this store: name it with --registry-storage";
    return {
      problems: [{ kind: "content", name: folder, problem }],
      orphans: { files: 0, bytes: 0 },
    };
  }
  const problems: StoreProblem[] = [];
  let [done, last] = [0, ""];
  for (;;) {
    const blobs = await blobsAfter(reader, last, BATCH_SIZE);
    for (const blob of blobs) {
      progress(rehash ? "hashing blobs" : "checking blobs", done++, total);
      const problem = await problemOf(folder, blob, rehash);
      if (problem === undefined || problems.length === MAX_PROBLEMS) continue;
      // It may have been deleted since.
      if ((await findExisting(reader, [blob.digest])).size === 0) continue;
      problems.push({ kind: "content", name: blob.digest, problem });
    }
    if (blobs.length < BATCH_SIZE) break;
    last = blobs.at(-1)?.digest ?? "";
  }
  return { problems, orphans: await findOrphans(reader, folder, Date.now() - ORPHAN_MS) };
}

/** The difference between a blob's row and its file. */
export async function problemOf(
  folder: string,
  { digest, size, damaged }: ExaminedBlob,
  rehash: boolean,
): Promise<string | undefined> {
  const [algorithm = "", hex = ""] = digest.split(":");
  const path = join(folder, "blobs", algorithm, hex.slice(0, 2), hex);
  const found = await stat(path).catch(ignoreMissing);
  if (found === undefined) return "its file is missing";
  if (found.size !== Number(size)) return `its file has ${found.size} bytes instead of ${size}`;
  if (!rehash) return damaged > 0 ? foundDamaged(damaged) : undefined;
  const hash = createHash(algorithm);
  for await (const chunk of createReadStream(path, { highWaterMark: 1024 * 1024 })) {
    hash.update(chunk as Buffer);
  }
  return hash.digest("hex") === hex ? undefined : "its file has another digest";
}

function foundDamaged(time: number): string {
  return `the server found its content damaged at ${new Date(Number(time)).toISOString()}`;
}

async function findOrphans(reader: Reader, folder: string, before: number): Promise<Orphans> {
  let [files, bytes] = [0, 0];
  const blobs = join(folder, "blobs");
  for (const algorithm of await namesIn(blobs)) {
    for (const prefix of await namesIn(join(blobs, algorithm))) {
      const at = join(blobs, algorithm, prefix);
      const names = await namesIn(at);
      const existing = await findExisting(
        reader,
        names.map((hex) => `${algorithm}:${hex}`),
      );
      for (const hex of names) {
        if (existing.has(`${algorithm}:${hex}`)) continue;
        const found = await stat(join(at, hex)).catch(ignoreMissing);
        if (found === undefined || found.mtimeMs >= before) continue;
        files++;
        bytes += found.size;
      }
    }
  }
  return { files, bytes };
}

async function namesIn(folder: string): Promise<string[]> {
  return (await readdir(folder).catch(ignoreMissing)) ?? [];
}

function ignoreMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== "ENOENT") throw error;
}
