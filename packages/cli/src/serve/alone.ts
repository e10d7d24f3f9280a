import { framed } from "../frame.ts";
import { runServe } from "./serve.ts";

/**
 * `wharf serve` without the other commands, of which it needs none.
 *
 * @example await run(["serve", "--listen", "127.0.0.1:8080"]);
 */
export function run(words: readonly string[]): Promise<void> {
  return framed(words, () => runServe(words.slice(1)));
}
