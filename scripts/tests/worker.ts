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

// Without tracking, the test that such an error belongs to is not known: its file fails.
process.on("uncaughtException", (error) => strayErrors.set(error, error));
process.on("unhandledRejection", (reason, promise) => strayErrors.set(promise, reason));
// A test may await several promises one after the other: one of them is rejected before its turn.
process.on("rejectionHandled", (promise) => strayErrors.delete(promise));

// A test may wait for a timer that does not keep the process running: the runner would end all tests there.
const running = setInterval(() => {}, 60_000);
for (let file = await nextFile(); file !== undefined; file = await nextFile()) await run(file);
clearInterval(running);
process.disconnect?.();
