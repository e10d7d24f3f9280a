import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import type { DocumentNode } from "./document-node.ts";

const UTF8 = new TextEncoder();

/** Members of a record that are stored with all advisories read from it; `affected` is stored per package. */
const RECORD_FIELDS = [
  ...["schema_version", "id", "published", "modified", "withdrawn", "aliases", "upstream"],
  ...["related", "summary", "details", "severity", "references", "credits", "database_specific"],
] as const;

const KEPT_FIELDS: ReadonlySet<string> = new Set([...RECORD_FIELDS, "affected"]);

/**
 * The members of an OSV record that describe the vulnerability, as they are written. Records a problem for those that
 * do not have the form of the schema, and if they are too large to store.
 *
 * @example recordOf(top).references
 */
export function recordOf(top: DocumentNode): JsonObject {
  for (const item of top.field("related").items("products")) item.requiredString();
  for (const reference of top.field("references").items("products")) {
    if (!reference.requireObject()) continue;
    reference.field("type").optionalString();
    reference.field("url").optionalUrl();
  }
  for (const credit of top.field("credits").items("products")) {
    if (credit.requireObject()) credit.field("name").optionalText();
  }
  top.field("details").optionalText(top.limits.recordBytes);
  const specific = top.field("database_specific");
  if (specific.isPresent) specific.requireObject();
  const record: JsonObject = {};
  for (const name of RECORD_FIELDS) {
    const { value } = top.field(name);
    if (value !== undefined && value !== null) record[name] = value as JsonValue;
  }
  return fitting(top, record, "recordBytes", "without affected");
}

/**
 * Returns a value that is stored as JSON. Records a problem if it is too large, or nested too deeply for messages.
 *
 * @example fitting(list, entries, "affectedBytes", "of one package")
 */
export function fitting<T extends JsonValue>(
  node: DocumentNode,
  value: T,
  limit: "recordBytes" | "affectedBytes",
  which: string,
): T {
  const { [limit]: maxBytes, recordDepth } = node.limits;
  const bytes = UTF8.encode(JSON.stringify(value)).length;
  if (bytes > maxBytes) node.addProblem(`has ${bytes} bytes ${which}; the maximum is ${maxBytes}`);
  if (!isWithinDepth(value, recordDepth)) {
    node.addProblem(`is nested more than ${recordDepth} levels deep`);
  }
  return value;
}

function isWithinDepth(value: JsonValue | undefined, levels: number): boolean {
  if (typeof value !== "object" || value === null) return true;
  return levels > 0 && Object.values(value).every((one) => isWithinDepth(one, levels - 1));
}

/**
 * The record that a document of Wharf was published with: `database_specific.source`, and the members of the document
 * that `source_fields` names, which are those of the record. Undefined if there is none.
 *
 * @example publishedRecord(top)?.field("id").value // "GHSA-…"
 */
export function publishedRecord(top: DocumentNode): DocumentNode | undefined {
  const specific = top.field("database_specific");
  const source = specific.field("source");
  if (!source.isPresent || !source.requireObject()) return undefined;
  const record: Record<string, unknown> = { ...(source.value as object) };
  for (const item of specific.field("source_fields").items("products")) {
    const name = item.requiredString();
    if (KEPT_FIELDS.has(name)) record[name] = top.field(name).value;
  }
  return source.withValue(record);
}
