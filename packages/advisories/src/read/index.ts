/**
 * Reads advisory documents (distribution YAML, OSV, OpenVEX, CSAF) into messages of the contract. It is an
 * entry point of its own because few callers need the parsers; it may import ../publish.
 */

export { DocumentError, type Problem, problemText } from "./document-error.ts";
export { READ_LIMITS, type ReadLimits } from "./limits.ts";
export { type Format, linesOf, READERS, type ReadOptions, readDocument } from "./read.ts";
