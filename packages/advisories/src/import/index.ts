/**
 * Imports documents in batches, and tallies the results: what the command and the console have in common. It is an entry
 * point of its own because it loads the parsers; it runs in browsers.
 */

export { DocumentError } from "../read/document-error.ts";
export { READ_LIMITS } from "../read/limits.ts";
export type { Format } from "../read/read.ts";
export { type Item, isDocumentName } from "../source/item.ts";
export { type Batch, batchesOf, type ParsedDocument } from "./batches.ts";
export { selection } from "./globs.ts";
export { type Refusal, Tally } from "./tally.ts";
