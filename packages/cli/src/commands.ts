import { runCommandLine } from "./run.ts";
import { tree } from "./tree.ts";

/**
 * Runs a command line with every command that there is.
 *
 * @example await run(process.argv.slice(2));
 */
export function run(words: readonly string[]): Promise<void> {
  return runCommandLine(tree, words);
}
