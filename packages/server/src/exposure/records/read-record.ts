import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { timestampMs } from "@bufbuild/protobuf/wkt";
import { typeOfEcosystem } from "@wharf/advisories/ecosystems";
import {
  type Assessment,
  affectedPackages,
  assessmentOf,
  type Naming,
  osvId,
} from "@wharf/advisories/publish";
import type { Advisory } from "@wharf/contract";
import { isObject, objectsIn } from "../../lib/json-values.ts";
import { storable } from "../../store/resources/storable.ts";
import { canonicalName } from "../names.ts";
import { type DerivedRecord, RECORD_STATUSES, type RecordDetail } from "./record.ts";
import { namesOf } from "./record-names.ts";
import { rate } from "./severity.ts";

/** Package URL types of distributions, which write records about their builds of others' software. */
const DISTRIBUTED: ReadonlySet<string> = new Set(["apk", "deb", "rpm"]);

/** Longer names are no names of packages, and PostgreSQL rejects them in indexes. */
const MAX_NAME_LENGTH = 1_024;

const MAX_SUMMARY_LENGTH = 300;

const STATUSES: Readonly<Partial<Record<Assessment["kind"], number>>> = {
  detection: RECORD_STATUSES.investigated,
  fixNotPlanned: RECORD_STATUSES.notPlanned,
  analysisNotPlanned: RECORD_STATUSES.notPlanned,
  pendingUpstreamFix: RECORD_STATUSES.pending,
};

/**
 * The records of an advisory: one for each ecosystem, release and package. Affected versions are those that feeds publish:
 * exactly those of the record that it was imported from, while that is in effect; otherwise those that follow from its
 * events. An advisory that is deleted, withdrawn or not approved has none.
 *
 * @param advisory with its source and its severities
 */
export function readRecords(advisory: Advisory, naming: Naming): DerivedRecord[] {
  const assessment = assessmentOf(advisory);
  const { source, deleteTime } = advisory;
  if (assessment === undefined || deleteTime !== undefined) return [];
  const { affected, ...record } = source?.osv ?? { id: osvId(advisory), aliases: advisory.aliases };
  const isInEffect = source?.inEffect === true;
  if (isInEffect && typeof record.withdrawn === "string") return [];
  const entries = isInEffect ? objectsIn<JsonValue>(affected) : affectedPackages(advisory, naming);
  const packages = Map.groupBy(entries.flatMap(packageOf), ({ key }) => key);
  return [...packages.values()].map((same) =>
    recordOf(advisory, isInEffect ? record : unrated(record), same as PackageEntries, assessment),
  );
}

interface PackageEntry {
  readonly key: string;
  readonly release: string;
  readonly ecosystem: string;
  readonly name: string;
  readonly entry: JsonObject;
}

type PackageEntries = [PackageEntry, ...PackageEntry[]];

/** Entries without package have ranges of commits only, which are not compared. */
function packageOf(entry: JsonObject): PackageEntry[] {
  const { ecosystem: release, name: written } = isObject(entry.package) ? entry.package : {};
  if (typeof release !== "string" || typeof written !== "string") return [];
  const [ecosystem = ""] = release.split(":");
  const name = storable(canonicalName(ecosystem, written));
  if (name === "" || Math.max(name.length, release.length) > MAX_NAME_LENGTH) return [];
  return [{ key: `${release}\n${name}`, release: storable(release), ecosystem, name, entry }];
}

function recordOf(
  advisory: Advisory,
  record: JsonObject,
  same: PackageEntries,
  { kind }: Assessment,
): DerivedRecord {
  const [{ ecosystem, release, name }] = same;
  const isDistribution = isDistributed(ecosystem);
  const entries = same.map(({ entry }) => entry);
  const isOwn = advisory.source?.osv === undefined;
  return {
    ecosystem: storable(ecosystem),
    release,
    package: name,
    affected: entries.map(comparedOf),
    status: STATUSES[kind] ?? RECORD_STATUSES.none,
    ...rate(record, entries, advisory.severities, isDistribution),
    // An own advisory is about one vulnerability, whatever its package: its aliases all name that one.
    names: namesOf(record, isDistribution && !isOwn),
    detail: detailOf(record),
  };
}

export function isDistributed(ecosystem: string): boolean {
  return DISTRIBUTED.has(typeOfEcosystem(ecosystem));
}

/** The members that matching reads. */
function comparedOf({ ranges, versions, ecosystem_specific: specific }: JsonObject): JsonObject {
  const patched = isObject(specific) ? specific.patched_versions : undefined;
  const compared = objectsIn<JsonValue>(ranges).filter(({ type }) => type !== "GIT");
  return {
    ...(compared.length > 0 && {
      ranges: compared.map(({ type, events }) => present({ type, events })),
    }),
    ...(Array.isArray(versions) && versions.length > 0 && { versions }),
    ...(patched !== undefined && { ecosystem_specific: { patched_versions: patched } }),
  };
}

function detailOf({ id, summary }: JsonObject): RecordDetail {
  const text = typeof summary === "string" ? storable(summary).slice(0, MAX_SUMMARY_LENGTH) : "";
  return { id: storable(String(id)), ...(text !== "" && { summary: text.toWellFormed() }) };
}

/** An overridden record's severities are not published either. */
function unrated({ severity: _, ...record }: JsonObject): JsonObject {
  return record;
}

/** The time of the last change of an advisory, in milliseconds. */
export function updatedOf({ updateTime }: Advisory): number {
  return updateTime === undefined ? 0 : timestampMs(updateTime);
}

function present(members: Readonly<Record<string, JsonValue | undefined>>): JsonObject {
  const set = Object.entries(members).filter(([, value]) => value !== undefined);
  return Object.fromEntries(set) as JsonObject;
}
