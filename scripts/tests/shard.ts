/**
 * Runs several test files in one process, one after the other, each as a suite named by its path:
 * loading the server and compiling its code costs more than most files do. Hooks at the top of a
 * file belong to that file alone, because they are registered within its suite.
 */
import { describe } from "node:test";
import { pathToFileURL } from "node:url";

for (const file of process.argv.slice(2)) {
  describe(file, async () => {
    await import(pathToFileURL(file).href);
  });
}
