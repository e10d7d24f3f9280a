import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { Settings } from "../../config/settings.ts";
import type { Lock } from "../../lib/age/age.ts";
import { createDirectory } from "../../store/db/sqlite/directory.ts";
import { type BackedUp, backUp } from "./back-up.ts";
import type { CopyProgress } from "./fill-target.ts";
import type { StoreLocation } from "./store-source.ts";

/** `wharf-2026-11-16T023000.123Z.backup`: names sort by time, and two backups never have the same. */
const NAME = /^wharf-\d{4}-\d{2}-\d{2}T\d{6}\.\d{3}Z\.backup$/;

export type BackupFolder = Pick<Settings, "backupDir" | "backupKeep">;

export interface KeptBackup extends BackedUp {
  readonly file: string;
  readonly deleted: readonly string[];
}

/** Adds a backup to the directory; once it is complete, deletes the oldest beyond those to keep. */
export async function addBackup(
  location: StoreLocation,
  { backupDir, backupKeep }: BackupFolder,
  lock: Lock,
  progress?: CopyProgress,
): Promise<KeptBackup> {
  createDirectory(backupDir);
  const time = new Date().toISOString().replaceAll(":", "");
  const name = `wharf-${time}.backup`;
  const file = join(backupDir, name);
  const backedUp = await backUp(location, { file, lock, ...(progress && { progress }) });
  const deleted = superfluous(
    readdirSync(backupDir).filter((one) => NAME.test(one)),
    name,
    backupKeep,
  );
  for (const one of deleted) rmSync(join(backupDir, one));
  return { ...backedUp, file, deleted };
}

/**
 * The backups to delete. The new one is never among them, and those with a later time were made before it, by a clock
 * that was ahead: they are the oldest.
 */
function superfluous(names: readonly string[], added: string, keep: number): string[] {
  const others = names.filter((name) => name !== added).sort();
  const ahead = others.filter((name) => name > added);
  const before = others.filter((name) => name < added);
  return [...ahead, ...before].slice(0, Math.max(0, others.length - (keep - 1)));
}
