/**
 * Runs test files in one process, one after the other, as the parent names them, each as a suite named
 * by its path: loading the server and compiling its code costs more than most files do. Hooks at the
 * top of a file belong to that file alone, because they are registered within its suite.
 */
import { once } from "node:events";
import { resolve as resolvePath } from "node:path";
import { after, describe } from "node:test";
import { pathToFileURL } from "node:url";
import { ROOT } from "../step.ts";
import { strayErrors } from "./reporter.ts";
import { ignoreResources, trackResources } from "./resource-tracking.ts";

/** A process without files that has not ended by then says why, before it is killed. */
const REPORT_MS = 30_000;

/** Of this program: its output, and the timer below. */
const OWN = new Set(["PipeWrap", "Timeout"]);

/** Asks the parent for the next file; undefined when there is none left. */
async function nextFile(): Promise<string | undefined> {
  const answer = once(process, "message");
  process.send?.("next");
  const [{ file }] = await answer;
  return file;
}

function run(file: string): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  trackResources();
  describe(file, async () => {
    try {
      await import(pathToFileURL(resolvePath(ROOT, file)).href);
    } finally {
      // Hooks run in the order of their registration: this one follows those of the file.
      after(() => resolve());
      ignoreResources();
    }
  });
  return promise;
}

// Without tracking, such an error cannot be assigned to a test: its file fails.
process.on("uncaughtException", (error) => strayErrors.set(error, error));
process.on("unhandledRejection", (reason, promise) => strayErrors.set(promise, reason));
// A test may await several promises one after the other: one of them is rejected before its turn.
process.on("rejectionHandled", (promise) => strayErrors.delete(promise));

// A test may wait for a timer that does not keep the process running: the runner would end all tests there.
const running = setInterval(() => {}, 60_000);
/** Files after which the process had something running, each with that. */
const leftBy: string[] = [];
for (let file = await nextFile(); file !== undefined; file = await nextFile()) {
  await run(file);
  const left = process.getActiveResourcesInfo().filter((type) => !OWN.has(type));
  if (left.length > 0) leftBy.push(`${file}: ${left}`);
}
clearInterval(running);
process.disconnect?.();
setTimeout(reportRunning, REPORT_MS).unref();

/** Says what keeps the process from its end: types, handles with their addresses, and files that it may be left by. */
function reportRunning(): void {
  const { libuv } = process.report.getReport() as { libuv: Record<string, unknown>[] };
  const handles = libuv.filter((handle) => handle.is_active && handle.is_referenced);
  const lines = [...handles.map((handle) => JSON.stringify(handle)), ...leftBy];
  console.log(`still running: ${process.getActiveResourcesInfo()}\n${lines.join("\n")}`);
}
