import { framed } from "../frame.ts";
import { runServe } from "./serve.ts";

/** `wharf serve` without the other commands, of which it needs none. */
export function run(words: readonly string[]): Promise<void> {
  return framed(words, () => runServe(words.slice(1)));
}
