import { readJson } from "./json.ts";
import type { Path } from "./unreadable.ts";
import { readYaml } from "./yaml.ts";

/** A place in a text, both counted from 1. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

/** What a document says, before anyone knows what it means. */
export interface Tree {
  readonly value: unknown;
  /** Where values are. Asked only when something is wrong, and for all at once: it may read the text again. */
  positionsOf(paths: readonly Path[]): readonly Position[];
}

/**
 * Reads a text, whichever of JSON and YAML it is.
 *
 * @example treeOf(text).value
 */
export function treeOf(text: string): Tree {
  return /^\s*[{[]/.test(text) ? readJson(text) : readYaml(text);
}
