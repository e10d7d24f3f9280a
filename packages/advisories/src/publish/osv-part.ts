import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { timestampMs } from "@bufbuild/protobuf/wkt";
import type { Advisory } from "@wharf/contract/messages";
import { isZeroTime } from "../read/time.ts";
import { type Assessment, assessmentOf } from "./assessment.ts";
import { publicJson } from "./public-part.ts";

/** A published advisory as part of a document. */
export interface OsvPart {
  readonly advisory: Advisory;
  readonly assessment: Assessment;
  /** The record that it was imported from, without `affected`. */
  readonly record: JsonObject | undefined;
  /** The record's entries about the advisory's package. */
  readonly entries: readonly JsonValue[];
  /** Whether the record says which versions are affected. */
  readonly isInEffect: boolean;
  readonly isDeleted: boolean;
  readonly isWithdrawn: boolean;
}

/**
 * The part of an advisory in its document; undefined while no event is approved.
 *
 * @example partOf(advisory)?.isWithdrawn
 */
export function partOf(advisory: Advisory): OsvPart | undefined {
  const assessment = assessmentOf(advisory);
  if (assessment === undefined) return undefined;
  const { affected, ...record } = advisory.source?.osv ?? {};
  const isInEffect = advisory.source?.inEffect === true;
  const isDeleted = advisory.deleteTime !== undefined;
  return {
    advisory,
    assessment,
    record: advisory.source?.osv === undefined ? undefined : record,
    entries: Array.isArray(affected) ? affected : [],
    isInEffect,
    isDeleted,
    isWithdrawn: isDeleted || (isInEffect && isTime(record.withdrawn)),
  };
}

/**
 * The parts whose packages a document names. Withdrawn parts are named only if all are: a document is withdrawn as a
 * whole. Deleted ones count least.
 *
 * @example namedParts(parts).every(({ isWithdrawn }) => isWithdrawn)
 */
export function namedParts(parts: readonly OsvPart[]): readonly OsvPart[] {
  const isNamed = [
    ({ isWithdrawn }: OsvPart) => !isWithdrawn,
    ({ isDeleted }: OsvPart) => !isDeleted,
  ];
  return isNamed.map((test) => parts.filter(test)).find(({ length }) => length > 0) ?? parts;
}

/**
 * The latest version of the record among parts: a new version may be approved for some packages only, or be about fewer
 * packages.
 *
 * @example latestRecord(parts)?.id
 */
export function latestRecord(parts: readonly OsvPart[]): JsonObject | undefined {
  const time = ({ modified }: JsonObject) =>
    isTime(modified) ? Date.parse(modified) : Number.NEGATIVE_INFINITY;
  let latest: JsonObject | undefined;
  for (const { record } of parts) {
    if (record === undefined) continue;
    if (latest === undefined || time(record) > time(latest)) latest = record;
  }
  return latest;
}

/**
 * Whether two records are the same version.
 *
 * @example isSameRecord(part.record, latestRecord(parts))
 */
export function isSameRecord(a: JsonObject, b: JsonObject | undefined): boolean {
  if (b === undefined || Object.keys(a).length !== Object.keys(b).length) return false;
  return Object.keys(a).every(
    (name) => a[name] === b[name] || JSON.stringify(a[name]) === JSON.stringify(b[name]),
  );
}

/** Whether a member of a record is a time. The zero time means that it is unset. */
export function isTime(value: JsonValue | undefined): value is string {
  return typeof value === "string" && !isZeroTime(value);
}

/**
 * The notes of advisories whose versions do not follow from the record; they name the package if there are several.
 *
 * @example notesOf(parts).join("\n\n")
 */
export function notesOf(parts: readonly OsvPart[]): string[] {
  return parts
    .filter(({ isInEffect, assessment }) => !isInEffect && assessment.note !== "")
    .map(({ advisory, assessment: { note } }) =>
      parts.length === 1 ? note : `${advisory.artifactName}: ${note}`,
    );
}

/**
 * The advisory of a part, from which an import restores it: its public fields, and its source as imports name it. The
 * document has the record itself once, and the entries at these positions; of another version of the record, the
 * advisory has all.
 *
 * @example restorable(part, [0, 1], record).source
 */
export function restorable(
  { advisory, record, entries, isInEffect, isDeleted }: OsvPart,
  positions: readonly number[] | undefined,
  published: JsonObject | undefined,
): JsonObject {
  // An advisory that its publisher deleted is not imported.
  if (record === undefined || isDeleted) return publicJson(advisory);
  const named = isSameRecord(record, published) ? { id: record.id as string } : record;
  const osv = { ...named, affected: [...(positions ?? entries)] };
  return { ...publicJson(advisory), source: { osv, inEffect: isInEffect } };
}

/** The time at which an advisory was deleted, in milliseconds. */
export function deletionOf({ advisory: { deleteTime } }: OsvPart): number {
  return deleteTime === undefined ? 0 : timestampMs(deleteTime);
}
