/**
 * The program of a scheduled backup: a process of its own, because reading and encrypting everything would keep the
 * server busy. It gets its task as its only message, and answers with the outcome.
 */
import { addBackup, type BackupFolder } from "./backup-directory.ts";
import { lockOf } from "./backup-lock.ts";
import type { BackupOutcome, BackupTask } from "./scheduled-backups.ts";

process.once("message", async (task: BackupTask) => {
  const outcome = await run(task);
  process.send?.(outcome, () => process.exit(0));
});
// The server is gone.
process.on("disconnect", () => process.exit(1));

async function run(task: BackupTask): Promise<BackupOutcome> {
  const folder: BackupFolder = task;
  try {
    const lock = lockOf(task);
    if (lock === undefined) throw new Error("backups have neither recipients nor a passphrase");
    const { file, rows, bytes, deleted } = await addBackup(task, folder, lock);
    return { ok: true, file, rows, bytes, deleted: deleted.length };
  } catch (error) {
    return { ok: false, message: (error as Error).message };
  }
}
