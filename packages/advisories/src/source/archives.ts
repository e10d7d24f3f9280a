/** Documents in files and archives (tar, gzip, zip), within limits. It runs in browsers, too. */
export { SOURCE_LIMITS, type SourceLimits } from "./budget.ts";
export { blobBytes, type RandomAccess } from "./bytes.ts";
export { type Item, isDocumentName } from "./item.ts";
export { fileItems } from "./stream.ts";
