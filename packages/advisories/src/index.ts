export { advisoryIdOf } from "./advisory-id.ts";
export { READ_LIMITS } from "./read/limits.ts";
export { type Format, READERS, type ReadOptions, readDocument } from "./read/read.ts";
export { type Problem, problemText, Unreadable } from "./read/unreadable.ts";
