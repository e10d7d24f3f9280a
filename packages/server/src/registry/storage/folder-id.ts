import { randomUUID } from "node:crypto";
import { existsSync, linkSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ConfigError } from "../../config/settings.ts";
import type { Reader } from "../../store/db/connection.ts";
import { createDirectory } from "../../store/db/sqlite/directory.ts";
import type { Store } from "../../store/db/store.ts";
import { readInstallation, replaceInstallation } from "../../store/tables/installation.ts";
import { hasBlobs } from "../../store/tables/registry/blobs.ts";

/** The id of the folder, in it and in the store: replicas with another folder would miss each other's blobs. */
const FILE = "folder-id";
const NAME = "registry_folder";

/**
 * Binds the folder of the registry's content to the store, or rejects it. A folder is bound to one store: content of
 * another one has no rows here, and would be removed as garbage.
 */
export async function claimFolder(store: Store, folder: string): Promise<void> {
  createDirectory(folder);
  const existing = readFolderId(folder);
  const id = existing ?? writeFolderId(folder);
  const hasContent = existsSync(join(folder, "blobs"));
  const problem = await store.write(async (tx) => {
    const bound = await boundFolder(tx);
    if (bound === id) return undefined;
    if (bound !== undefined && (await hasBlobs(tx))) return missing(folder, bound);
    // Neither has an id: the content is older than ids.
    const isUnbound = bound === undefined && existing === undefined;
    if (hasContent && !isUnbound) return foreign(folder);
    await replaceInstallation(tx, NAME, id);
    return undefined;
  });
  if (problem === undefined) return;
  if (existing === undefined) rmSync(join(folder, FILE), { force: true });
  throw new ConfigError(problem);
}

/** The id of the folder that the store is bound to. */
export function boundFolder(reader: Reader): Promise<string | undefined> {
  return readInstallation(reader, NAME);
}

function missing(folder: string, id: string): string {
  return `${folder} is not the folder with the content of the registry: mount or copy that one, with its file ${FILE}, or name it with --registry-storage; if the content is lost, write ${id} to ${join(folder, FILE)}`;
}

function foreign(folder: string): string {
  return `${folder} has the content of another installation's registry: move it away, or name another folder with --registry-storage`;
}

export function readFolderId(folder: string): string | undefined {
  try {
    return readFileSync(join(folder, FILE), "utf8").trim();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}

/** Gives the folder an id, or returns the one that another process has assigned meanwhile. */
function writeFolderId(folder: string): string {
  const id = randomUUID();
  const partial = join(folder, `${FILE}.${id}`);
  writeFileSync(partial, `${id}\n`, { mode: 0o600, flush: true });
  try {
    linkSync(partial, join(folder, FILE));
    return id;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    return readFolderId(folder) as string;
  } finally {
    rmSync(partial, { force: true });
  }
}
