import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { isTime } from "./osv-part.ts";

/** Members that are published as the record has them, whether it is in effect or not. */
const ALWAYS = ["published", "references", "credits", "related"];

/** Members of a document that are published as the record has them while it is in effect. */
const IN_EFFECT = ["withdrawn", "summary", "details", "severity"];

const TIMES: ReadonlySet<string> = new Set(["published", "withdrawn"]);

export interface PublishedRecord {
  readonly members: JsonObject;
  /** Members of `database_specific`, from which an import restores the record. */
  readonly specific: JsonObject;
}

/**
 * Publishes the record that advisories were imported from.
 *
 * - While it is in effect for any of them, its members replace those that follow from events. Members that it lacks are
 *   omitted, except for severities, which other sources may provide.
 * - Otherwise severities follow from events.
 * - Notes of events that override it precede the details.
 *
 * @example withRecord(own, record, true, []).members.details
 */
export function withRecord(
  own: JsonObject,
  record: JsonObject,
  isInEffect: boolean,
  notes: readonly string[],
): PublishedRecord {
  const names = isInEffect ? [...ALWAYS, ...IN_EFFECT] : ALWAYS;
  const isTaken = (name: string) => name !== "details" || notes.length === 0;
  const taken = takenFrom(record, names.filter(isTaken));
  const details = [...notes, record.details].filter((text) => text !== "" && isText(text));
  const members: Record<string, JsonValue | undefined> = {
    ...own,
    // The time of publication is that of the record, if it has one.
    ...(isInEffect ? { published: undefined } : {}),
    summary: isInEffect ? undefined : (record.summary ?? own.summary),
    details: details.length === 0 ? undefined : details.join("\n\n"),
    ...taken,
  };
  return {
    members: members as JsonObject,
    specific: {
      source: Object.fromEntries(Object.entries(record).filter(([name]) => !(name in taken))),
      source_fields: Object.keys(taken),
    },
  };
}

/** The members of a record with these names. */
function takenFrom(record: JsonObject, names: readonly string[]): JsonObject {
  const present = names.filter((name) => {
    const value = record[name];
    if (name === "severity") return Array.isArray(value) && value.length > 0;
    if (TIMES.has(name)) return isTime(value);
    return value !== undefined && value !== null;
  });
  return Object.fromEntries(present.map((name) => [name, record[name]])) as JsonObject;
}

function isText(value: unknown): value is string {
  return typeof value === "string";
}
