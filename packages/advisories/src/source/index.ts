/**
 * Finds documents in files, folders, archives and streams of Node.js; `archives.ts` has the part that runs in browsers.
 * From ../read it imports nothing but limits and errors.
 */
export { SOURCE_LIMITS, type SourceLimits } from "./budget.ts";
export type { Item } from "./item.ts";
export { openSource, type Source } from "./source.ts";
