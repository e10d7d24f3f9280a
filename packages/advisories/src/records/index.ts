/**
 * OSV records that are stored with the advisories imported from them. It may import ../read, but not its parsers of
 * texts, and ../publish.
 */

export { DocumentError, problemText } from "../read/document-error.ts";
export { describedAdvisory, isInEffect, keptRecord, recordTime } from "./kept-record.ts";
