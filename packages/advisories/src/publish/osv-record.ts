import type { JsonObject } from "@bufbuild/protobuf";
import type { AdvisorySource } from "@wharf/contract/messages";
import { isZeroTime } from "../read/time.ts";
import type { Assessment } from "./assessment.ts";

/** Members that are published as the record has them, whether it is in effect or not. */
const ALWAYS = ["published", "references", "credits", "related"];

/** Members of a document that are published as the record has them while it is in effect. */
const IN_EFFECT = ["withdrawn", "summary", "details", "severity", "affected"];

const TIMES: ReadonlySet<string> = new Set(["published", "withdrawn"]);

export interface PublishedRecord {
  readonly members: JsonObject;
  /** Members of `database_specific`, from which an import restores the record. */
  readonly specific: JsonObject;
}

/**
 * Publishes the record that an advisory was imported from.
 *
 * - While it is in effect, its members replace those that follow from events. What it lacks is omitted, except for
 *   severities, which may be known from elsewhere.
 * - Otherwise affected versions and severities follow from events, and the note of the event precedes the details.
 *
 * @example withRecord(own, advisory.source, assessment).members.affected
 */
export function withRecord(
  own: JsonObject,
  source: AdvisorySource | undefined,
  { note }: Assessment,
): PublishedRecord {
  const record = source?.osv;
  if (record === undefined) return { members: own, specific: {} };
  const isInEffect = source?.inEffect === true;
  const taken = takenFrom(record, isInEffect ? [...ALWAYS, ...IN_EFFECT] : ALWAYS);
  const members = {
    ...own,
    ...(isInEffect ? withoutGenerated(own, record) : overridden(own, record, note)),
    ...taken,
  };
  return {
    members: members as JsonObject,
    specific: {
      source: Object.fromEntries(Object.entries(record).filter(([name]) => !(name in taken))),
      source_fields: Object.keys(taken),
      ...(isInEffect ? {} : { source_overridden: true }),
    },
  };
}

/** The members of a record with these names. The zero time means that a time is not given. */
function takenFrom(record: JsonObject, names: readonly string[]): JsonObject {
  const present = names.filter((name) => {
    const value = record[name];
    if (name === "severity") return Array.isArray(value) && value.length > 0;
    if (TIMES.has(name)) return typeof value === "string" && !isZeroTime(value);
    return value !== undefined && value !== null;
  });
  return Object.fromEntries(present.map((name) => [name, record[name]])) as JsonObject;
}

/**
 * The time of publication is that of the record, if it has one. Schema 1.7 excludes severities of the record where
 * packages have severities of their own.
 */
function withoutGenerated({ severity }: JsonObject, { affected }: JsonObject) {
  const isRatedByPackage =
    Array.isArray(affected) && affected.some((one) => (one as JsonObject | null)?.severity != null);
  return {
    published: undefined,
    summary: undefined,
    details: undefined,
    affected: undefined,
    severity: isRatedByPackage ? undefined : severity,
  };
}

function overridden({ summary }: JsonObject, record: JsonObject, note: string) {
  const details = [note, record.details].filter((text) => typeof text === "string" && text !== "");
  return {
    summary: record.summary ?? summary,
    details: details.length === 0 ? undefined : details.join("\n\n"),
  };
}
