import type { Path } from "./document-error.ts";
import { readJson } from "./json.ts";
import { READ_LIMITS, type ReadLimits } from "./limits.ts";
import { readYaml } from "./yaml.ts";

/** A position in a text, from 1. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

/** A parsed document of unknown format. */
export interface Tree {
  readonly value: unknown;
  /** The positions of values. Called once, and only for problems: it may parse the text again. */
  positionsOf(paths: readonly Path[]): readonly Position[];
}

/**
 * Parses a text as JSON if it begins with a bracket or brace, otherwise as YAML.
 *
 * @example parseTree(text).value
 */
export function parseTree(text: string, limits: ReadLimits = READ_LIMITS): Tree {
  return /^\s*[{[]/.test(text) ? readJson(text, limits) : readYaml(text, limits);
}
