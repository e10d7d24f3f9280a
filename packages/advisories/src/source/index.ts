/**
 * Finds documents in files, folders, archives and streams. It runs only on Node.js, and imports from ../read
 * nothing but limits and errors.
 */
export { SOURCE_LIMITS, type SourceLimits } from "./budget.ts";
export type { Item } from "./item.ts";
export { openSource, type Source } from "./source.ts";
