import type { JsonObject } from "@bufbuild/protobuf";
import { MatchedBy } from "@wharf/contract";
import type { Transaction } from "../../store/db/commit/transaction.ts";
import type { Reader } from "../../store/db/connection.ts";
import {
  deleteMatches,
  type MatchRow,
  matchesBy,
  putMatches,
  type VersionRow,
  versionsById,
  versionsOfPackages,
} from "../../store/tables/exposure/records/matches.ts";
import {
  type PackageKey,
  recordsById,
  recordsOfPackages,
  type StoredRecord,
} from "../../store/tables/exposure/records/records.ts";
import { hasSubpackageRecords, match } from "./match.ts";

/** A record with its parsed entries. */
interface ParsedRecord extends Omit<StoredRecord, "affected"> {
  readonly affected: readonly JsonObject[];
}

/** Compares new package versions with the records of their packages. The caller assesses the images that have them. */
export async function matchVersions(tx: Transaction, versionIds: readonly number[]): Promise<void> {
  const versions = await versionsById(tx, versionIds);
  const records = await recordsOfPackages(tx, packagesOf(versions));
  const found = await matchesBetween(tx, records.map(parsed), versions);
  await putMatches(tx, found);
}

/**
 * Compares records with all versions of their packages, and replaces their matches. Returns the records whose matches
 * have changed.
 */
export async function matchRecords(
  tx: Transaction,
  recordIds: readonly number[],
): Promise<number[]> {
  const records = await recordsById(tx, recordIds);
  const packages = records.map((one) => [one.ecosystem, one.package] as const);
  const versions = await versionsOfPackages(tx, distinct(packages));
  const found = await matchesBetween(tx, records.map(parsed), versions);
  const stored = await matchesBy(tx, "record", recordIds);
  return replace(tx, stored, found);
}

/**
 * The records about the packages from which packages with these names were built. Where records of a package replace those
 * of its origin, they are compared again when the first one of a package comes or the last one goes.
 */
export async function recordsOfOrigins(
  reader: Reader,
  packages: readonly PackageKey[],
): Promise<number[]> {
  const some = packages.filter(([ecosystem]) => hasSubpackageRecords(ecosystem));
  const versions = await versionsOfPackages(reader, distinct(some));
  const names = new Set(some.map((one) => one.join("\n")));
  const origins = versions
    .filter((one) => hasOtherOrigin(one) && names.has(`${one.ecosystem}\n${one.name}`))
    .map(({ ecosystem, origin }) => [ecosystem, origin] as const);
  return (await recordsOfPackages(reader, distinct(origins))).map(({ id }) => id);
}

function hasOtherOrigin({ ecosystem, name, origin }: VersionRow): boolean {
  return hasSubpackageRecords(ecosystem) && origin !== "" && origin !== name;
}

/** The matches of records with versions, each pair of one package once. */
async function matchesBetween(
  reader: Reader,
  records: readonly ParsedRecord[],
  versions: readonly VersionRow[],
): Promise<MatchRow[]> {
  const byPackage = Map.groupBy(records, (one) => `${one.ecosystem}\n${one.package}`);
  const hasOwnRecords = await ownRecords(reader, versions);
  const found: MatchRow[] = [];
  for (const version of versions) {
    const { ecosystem, name, origin } = version;
    const names = new Set([name, origin === "" ? name : origin]);
    for (const record of [...names].flatMap((one) => byPackage.get(`${ecosystem}\n${one}`) ?? [])) {
      const one = match(version, record);
      if (one === undefined) continue;
      if (one.matchedBy === MatchedBy.ORIGIN && hasOwnRecords(version, record)) continue;
      const { state, matchedBy } = one;
      const [fixed, detail] = [JSON.stringify(one.fixed), JSON.stringify(one.detail)];
      found.push({ record: record.id, version: version.id, state, matchedBy, fixed, detail });
    }
  }
  return found;
}

/**
 * The test whether the group of a record about the origin of a version has records of the package itself, where publishers
 * have records for each package: then those about the origin are not about it. Other groups' records, and other images,
 * must not matter: nobody clears the images of somebody else.
 */
async function ownRecords(
  reader: Reader,
  versions: readonly VersionRow[],
): Promise<(version: VersionRow, record: ParsedRecord) => boolean> {
  const some = versions.filter(hasOtherOrigin);
  const named = await recordsOfPackages(
    reader,
    distinct(some.map(({ ecosystem, name }) => [ecosystem, name] as const)),
  );
  const own = new Set(named.map((one) => [one.group, one.ecosystem, one.package].join("\n")));
  return ({ ecosystem, name }, { group }) => own.has([group, ecosystem, name].join("\n"));
}

/** Writes what differs. Returns the records with a difference. */
async function replace(
  tx: Transaction,
  stored: readonly MatchRow[],
  found: readonly MatchRow[],
): Promise<number[]> {
  const before = new Map(stored.map((one) => [keyOf(one), one]));
  const after = new Set(found.map(keyOf));
  const gone = stored.filter((one) => !after.has(keyOf(one)));
  const changed = found.filter((one) => !isSame(before.get(keyOf(one)), one));
  await deleteMatches(tx, gone);
  await putMatches(tx, changed);
  return [...new Set([...gone, ...changed].map(({ record }) => record))];
}

function isSame(one: MatchRow | undefined, other: MatchRow): boolean {
  return (
    one?.state === other.state &&
    one.matchedBy === other.matchedBy &&
    one.fixed === other.fixed &&
    one.detail === other.detail
  );
}

function keyOf({ record, version }: MatchRow): string {
  return `${record} ${version}`;
}

function parsed(record: StoredRecord): ParsedRecord {
  return { ...record, affected: JSON.parse(record.affected) as JsonObject[] };
}

/** Names and origins of versions, with their ecosystems. */
function packagesOf(versions: readonly VersionRow[]): PackageKey[] {
  return distinct(
    versions
      .filter(({ ecosystem }) => ecosystem !== "")
      .flatMap(({ ecosystem, name, origin }) => [
        [ecosystem, name] as const,
        ...(origin === "" ? [] : [[ecosystem, origin] as const]),
      ]),
  );
}

function distinct(packages: readonly PackageKey[]): PackageKey[] {
  return [...new Map(packages.map((one) => [one.join("\n"), one])).values()];
}
