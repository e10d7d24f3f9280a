/** Reads the formats that advisories come in. Apart from the rest: few need the parsers. */
export { READ_LIMITS } from "./limits.ts";
export { type Format, linesOf, READERS, type ReadOptions, readDocument } from "./read.ts";
export { type Problem, problemText, Unreadable } from "./unreadable.ts";
