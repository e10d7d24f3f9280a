import type { Run } from "../command/types.ts";
import { candidates } from "./candidates.ts";
import type { completeDefinition } from "./commands.ts";

/** Shells wait for us at every key: whatever is wrong, the answer is that there is nothing. */
export const run: Run<typeof completeDefinition> = async (_context, { words }) => {
  const { tree } = await import("../tree.ts");
  const typed = words[0] === "--" ? words.slice(1) : words;
  try {
    for (const { word, summary } of await candidates(tree, typed, process.env)) {
      process.stdout.write(summary === undefined ? `${word}\n` : `${word}\t${summary}\n`);
    }
  } catch {
    // There is nobody to tell: the shell is drawing a prompt.
  }
};
