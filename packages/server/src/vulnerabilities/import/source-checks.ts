import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import {
  DocumentError,
  describedAdvisory,
  keptRecord,
  problemText,
} from "@wharf/advisories/records";
import type { Advisory, AdvisoryDocument } from "@wharf/contract";
import type { FieldViolation } from "../../lib/errors.ts";

/** The source of an imported advisory. */
export interface GivenSource {
  /** The record without `affected`. */
  readonly record: JsonObject;
  readonly affected: JsonValue | undefined;
  /** The advisory as the record alone describes it. */
  readonly described: Advisory;
}

/** Sources by their advisory: a document is checked before it is imported, and large records are read once. */
const known = new WeakMap<Advisory, GivenSource>();

/** The source of an advisory of a document that was checked; undefined if it has none. */
export function givenSource(advisory: Advisory): GivenSource | undefined {
  return known.get(advisory);
}

/** Why the sources of a document are rejected, by field. A document may have several versions of a record. */
export function sourceProblems({ advisories, sources }: AdvisoryDocument): FieldViolation[] {
  const found: FieldViolation[] = [];
  const records = new Map<string, JsonObject>();
  for (const [number, { osv }] of sources.entries()) {
    const field = `sources[${number}].osv.id`;
    if (typeof osv?.id !== "string" || osv.id === "") {
      found.push({ field, description: "id is required" });
      continue;
    }
    const { affected: _, ...record } = osv;
    const version = versionOf(record);
    if (records.has(version)) {
      const description = "id must differ from that of other sources with the same modified";
      found.push({ field, description });
    }
    records.set(version, record);
    // Without a time, an id names the first version.
    const any = versionOf({ id: osv.id });
    if (!records.has(any)) records.set(any, record);
  }
  for (const [number, advisory] of advisories.entries()) {
    const { osv } = advisory.source ?? {};
    if (osv === undefined) continue;
    const field = `advisories[${number}].source.osv`;
    const record = records.get(versionOf(osv));
    if (record === undefined) {
      found.push({ field: `${field}.id`, description: "id must be that of a source" });
    } else found.push(...problemsOf(advisory, record, osv.affected, field));
  }
  return found;
}

function versionOf({ id, modified = null }: JsonObject): string {
  return JSON.stringify([id, modified]);
}

function problemsOf(
  advisory: Advisory,
  record: JsonObject,
  affected: JsonValue | undefined,
  field: string,
): FieldViolation[] {
  try {
    const described = describedAdvisory(keptRecord(record, affected));
    if (described === undefined) {
      return [{ field: `${field}.affected`, description: "affected must be about one package" }];
    }
    known.set(advisory, { record, affected, described });
    return [];
  } catch (thrown) {
    if (!(thrown instanceof DocumentError)) throw thrown;
    return thrown.problems.map((problem) => ({ field, description: problemText(problem) }));
  }
}
