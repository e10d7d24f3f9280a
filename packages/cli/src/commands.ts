import { runCommandLine } from "./run.ts";
import { tree } from "./tree.ts";

/** Runs a command line with all commands. */
export function run(words: readonly string[]): Promise<void> {
  return runCommandLine(tree, words);
}
