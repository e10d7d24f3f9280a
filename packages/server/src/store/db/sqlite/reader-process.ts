/**
 * The program of a reader process: runs one statement at a time on a connection of its own, at a low priority. SQLite
 * offers Node.js no way to interrupt a statement, but a process can be killed at any moment: one that reads loses
 * nothing, and one that runs checkpoints leaves the rest of the log for the next one.
 */
import { setPriority } from "node:os";
import { runStatement } from "../connection.ts";
import { SqliteConnection } from "./connection.ts";
import { DataFileReplaced, DataFiles } from "./data-files.ts";
import type { Answer, Question, Task } from "./reader-messages.ts";

/** As `nice` counts: requests on the event loop get three quarters of a core that they share with a statement. */
const PRIORITY = 5;

let connection: SqliteConnection | undefined;

/** Opens the files that the server has open, not others that have replaced them. */
function open({ path, opened, writes = false }: Task): SqliteConnection {
  const files = new DataFiles(path, opened);
  // SQLite would create what was removed.
  files.verify();
  const opening = new SqliteConnection(path, !writes);
  try {
    opening.exec("SELECT count(*) FROM sqlite_schema");
    files.verify();
    if (writes) {
      opening.failWhenLocked();
      opening.exec("PRAGMA synchronous = NORMAL");
    } else lowerPriority();
    return opening;
  } catch (error) {
    opening.close();
    throw error;
  }
}

async function answerTo(question: Question): Promise<Answer> {
  const before = process.cpuUsage();
  try {
    connection ??= open(JSON.parse(process.argv[2] ?? "") as Task);
    const result = await runStatement(connection, question);
    const { user, system } = process.cpuUsage(before);
    return { result, cpuMs: (user + system) / 1_000 };
  } catch (error) {
    const { message, errcode } = error as Error & { errcode?: number };
    const replaced = error instanceof DataFileReplaced ? error.path : undefined;
    return { message, errcode, replaced };
  }
}

/** Not before the process has started, which requests wait for. */
function lowerPriority(): void {
  try {
    setPriority(PRIORITY);
  } catch {
    // A sandbox forbids it: statements compete with requests.
  }
}

// A terminal or a supervisor signals all processes; requests that are drained still need this one.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => {});
process.on("disconnect", () => process.exit());
process.on("message", async (question: Question) => process.send?.(await answerTo(question)));
