/** Where documents come from: files, folders, archives. For Node.js alone. */
export { ARCHIVE_LIMITS } from "./budget.ts";
export type { Item } from "./item.ts";
export { openSource, type Source } from "./source.ts";
