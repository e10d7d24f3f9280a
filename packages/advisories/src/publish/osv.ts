import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { timestampMs } from "@bufbuild/protobuf/wkt";
import { type Advisory, Severity_Type } from "@wharf/contract/messages";
import { assessmentOf } from "./assessment.ts";
import { isVector } from "./cvss.ts";
import { vulnerabilityName } from "./names.ts";
import { AffectedEntries, affectedPackages, statusFields } from "./osv-affected.ts";
import { osvId } from "./osv-id.ts";
import { osvNames } from "./osv-names.ts";
import {
  deletionOf,
  isSameRecord,
  latestRecord,
  namedParts,
  notesOf,
  type OsvPart,
  partOf,
  restorable,
} from "./osv-part.ts";
import { type PublishedRecord, withRecord } from "./osv-record.ts";
import { publicJson } from "./public-part.ts";
import type { Publication } from "./publication.ts";
import { rfc3339, timesOf } from "./times.ts";

const SCHEMA_VERSION = "1.7.0";

const SEVERITY_TYPES: Readonly<Record<Severity_Type, string>> = {
  [Severity_Type.UNSPECIFIED]: "",
  [Severity_Type.CVSS_V2]: "CVSS_V2",
  [Severity_Type.CVSS_V3]: "CVSS_V3",
  [Severity_Type.CVSS_V4]: "CVSS_V4",
};

/**
 * The OSV document of advisories with the same document id: one that was written here, or all those that were imported
 * from one record. Undefined while no event is approved.
 *
 * - An advisory that was imported from an OSV record, which is still in effect, has the record's affected versions
 *   exactly. Otherwise they follow from the latest approved event.
 * - OSV lists affected versions and has no status "not affected". A range that ends where it begins, at 0,
 *   contains no version, which is the same by OSV's algorithm.
 * - If all its advisories are deleted, the document is a withdrawn record.
 * - "Under investigation" counts as affected: a false positive is better than a false negative.
 *
 * @example osvDocument([advisory], publication)?.id // "CGA-xxxx-xxxx-xxxx"
 */
export function osvDocument(
  advisories: readonly Advisory[],
  publication: Publication,
): JsonObject | undefined {
  const parts = advisories.flatMap((one) => partOf(one) ?? []);
  const entry = osvEntryOf(parts.map(({ advisory }) => advisory));
  if (entry === undefined) return undefined;
  const { id, modified } = entry;
  const named = namedParts(parts);
  const record = latestRecord(named);
  const affected = new AffectedEntries();
  const positions = new Map(
    named.map((part) => {
      const entries = part.isInEffect ? part.entries : affectedPackages(part.advisory, publication);
      return [part, entries.map((one) => affected.add(one))];
    }),
  );
  const { members, specific } = membersOf(named, affected.list, record);
  const { published, withdrawn, related, summary, details, ...rest } = members;
  const isDeleted = named.every((part) => part.isDeleted);
  const withdrawal = isDeleted ? rfc3339(Math.max(...named.map(deletionOf))) : withdrawn;
  const [first] = parts;
  return {
    schema_version: SCHEMA_VERSION,
    id,
    ...present({ published, modified, withdrawn: withdrawal }),
    ...osvNames(named.map(({ advisory }) => advisory)),
    ...present({ related, summary, details, ...rest }),
    database_specific: {
      ...commonStatus(named),
      ...specific,
      wharf:
        parts.length === 1 && first?.record === undefined
          ? publicJson((first as OsvPart).advisory)
          : parts.map((one) =>
              restorable(one, one.isInEffect ? positions.get(one) : undefined, record),
            ),
    },
  };
}

/** The members that a record of another database may have, too. */
function membersOf(
  parts: readonly OsvPart[],
  affected: readonly JsonValue[],
  record: JsonObject | undefined,
): PublishedRecord {
  const advisories = parts.map(({ advisory }) => advisory);
  const notes = notesOf(parts);
  const severity = advisories
    .flatMap(({ severities }) => severities)
    .filter(isVector)
    .map(({ type, score }) => ({ type: SEVERITY_TYPES[type], score }));
  // Schema 1.7 excludes severities of the record where packages have severities of their own.
  const isRatedByPackage = affected.some((one) => (one as JsonObject | null)?.severity != null);
  const own = {
    published: rfc3339(timesOf(advisories).first),
    summary: summaryOf(advisories),
    ...(notes.length === 0 ? {} : { details: notes.join("\n\n") }),
    ...(severity.length === 0 || isRatedByPackage ? {} : { severity: unique(severity) }),
    affected: [...affected],
  };
  if (record === undefined) return { members: own, specific: {} };
  const isOf = (part: OsvPart) => part.record !== undefined && isSameRecord(part.record, record);
  const isInEffect = parts.some((part) => part.isInEffect && isOf(part));
  const { members, specific } = withRecord(own, record, isInEffect, notes);
  const isOverridden = parts.some((part) => part.record !== undefined && !part.isInEffect);
  return {
    members,
    specific: { ...specific, ...(isOverridden ? { source_overridden: true } : {}) },
  };
}

function summaryOf(advisories: readonly Advisory[]): string {
  const [first] = advisories as [Advisory];
  const packages = new Set(advisories.map(({ artifactName }) => artifactName));
  const where = packages.size === 1 ? first.artifactName : `${packages.size} packages`;
  return `${vulnerabilityName(first).name} in ${where}`;
}

/** The status, if all packages have the same. */
function commonStatus(parts: readonly OsvPart[]): Record<string, string> {
  const all = new Map(
    parts.map(({ assessment }) => {
      const fields = statusFields(assessment);
      return [JSON.stringify(fields), fields];
    }),
  );
  const [first = {}, ...others] = all.values();
  return others.length === 0 ? first : {};
}

/** The id of a document, and when it changed. */
export interface OsvEntry {
  readonly id: string;
  /** `modified` of the document. */
  readonly modified: string;
  /** The time of the last change of its advisories here, in milliseconds. */
  readonly changed: number;
}

/**
 * The entry of an advisory in the index of all documents; undefined while it is not published. Entries of one document
 * are combined with `laterEntry`.
 *
 * @example osvEntry(advisory)?.modified // "2026-…Z"
 */
export function osvEntry(advisory: Advisory): OsvEntry | undefined {
  if (assessmentOf(advisory) === undefined) return undefined;
  const { last } = timesOf([advisory]);
  return { id: osvId(advisory), modified: modifiedOf(advisory, last), changed: last };
}

/**
 * The entry of a document with both advisories: the later times.
 *
 * @example laterEntry(one, other).modified
 */
export function laterEntry(one: OsvEntry, other: OsvEntry): OsvEntry {
  const difference = Date.parse(one.modified) - Date.parse(other.modified);
  // Texts may be more precise.
  const isLater = difference > 0 || (difference === 0 && one.modified > other.modified);
  return {
    id: one.id,
    modified: isLater ? one.modified : other.modified,
    changed: Math.max(one.changed, other.changed),
  };
}

function osvEntryOf(advisories: readonly Advisory[]): OsvEntry | undefined {
  const [first, ...others] = advisories.flatMap((one) => osvEntry(one) ?? []);
  return first && others.reduce(laterEntry, first);
}

/** The modification time of an advisory: that of the record until it is changed here. */
function modifiedOf({ source }: Advisory, changed: number): string {
  const { osv, modifyTime } = source ?? {};
  if (modifyTime === undefined) return rfc3339(changed);
  const written = osv?.modified;
  const time = timestampMs(modifyTime);
  // Exactly as it is written: clients compare texts.
  return typeof written === "string" && Date.parse(written) === time ? written : rfc3339(time);
}

/** The members that are not undefined. */
function present(members: Readonly<Record<string, JsonValue | undefined>>): JsonObject {
  return Object.fromEntries(
    Object.entries(members).filter(([, value]) => value !== undefined),
  ) as JsonObject;
}

function unique<T extends { type: string; score: string }>(all: readonly T[]): T[] {
  return [...new Map(all.map((one) => [`${one.type} ${one.score}`, one])).values()];
}
