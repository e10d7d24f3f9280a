import { create, equals, type JsonObject, type JsonValue } from "@bufbuild/protobuf";
import { type Advisory, type AdvisoryEvent, AdvisoryEventSchema } from "@wharf/contract/messages";
import { latestAssessment, timeOf } from "../publish/assessment.ts";
import { ANY_NAMING } from "../publish/publication.ts";
import { isSameArtifact } from "../publish/same-artifact.ts";
import { DocumentNode } from "../read/document-node.ts";
import { readKeptRecord } from "../read/osv-advisories.ts";

/**
 * The record of one package: the members that all packages of a record share, and its entries of `affected`.
 *
 * @example keptRecord({ id: "GHSA-…", modified: "…" }, entries)
 */
export function keptRecord(shared: JsonObject, affected: JsonValue | undefined): JsonObject {
  return affected === undefined ? shared : { ...shared, affected };
}

/**
 * The advisory that the record of one package describes; undefined if it names no package, or several. Events have no
 * time if the record has none. Throws a DocumentError for a record that cannot be stored.
 *
 * @example describedAdvisory(record)?.events
 */
export function describedAdvisory(record: JsonObject): Advisory | undefined {
  const tree = { value: record, positionsOf: () => [] };
  const described = DocumentNode.read(tree, readKeptRecord);
  return described.length === 1 ? described[0] : undefined;
}

/**
 * The time of the event that a record is imported with, in milliseconds: events and records are matched by it.
 *
 * @example recordTime(describedAdvisory(record)) // 1767225600000
 */
export function recordTime(described: Advisory): number {
  return timeOf(described.events.at(-1) as AdvisoryEvent);
}

/**
 * Whether a record still describes an advisory: the latest approved event is the one that the record was imported
 * with, unchanged, and the package is that of the record. Otherwise events written here, or another package,
 * override the record's affected versions.
 *
 * @example isInEffect(advisory, describedAdvisory(record))
 */
export function isInEffect(advisory: Advisory, described: Advisory | undefined): boolean {
  const latest = latestAssessment(advisory);
  const lastDescribed = described?.events.at(-1);
  if (described === undefined || latest === undefined || lastDescribed === undefined) return false;
  const { componentLocation } = described;
  return (
    timeOf(latest) === timeOf(lastDescribed) &&
    equals(AdvisoryEventSchema, contentOf(latest), contentOf(lastDescribed)) &&
    (componentLocation === "" || componentLocation === advisory.componentLocation) &&
    isSameArtifact({ ...advisory, componentLocation }, described, ANY_NAMING)
  );
}

function contentOf({ type }: AdvisoryEvent): AdvisoryEvent {
  return create(AdvisoryEventSchema, { type });
}
