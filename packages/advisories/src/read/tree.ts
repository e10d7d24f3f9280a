import { readJson } from "./json.ts";
import type { Path } from "./unreadable.ts";
import { readYaml } from "./yaml.ts";

/** What a document says, before anyone knows what it means. */
export interface Tree {
  readonly value: unknown;
  /** Asked only when something is wrong: it may read the text again. */
  positionOf(path: Path): { readonly line: number; readonly column: number };
}

/**
 * Reads a text, whichever of JSON and YAML it is.
 *
 * @example treeOf(text).value
 */
export function treeOf(text: string): Tree {
  return /^\s*[{[]/.test(text) ? readJson(text) : readYaml(text);
}
