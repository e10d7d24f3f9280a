import type { Reader } from "../../../db/connection.ts";
import type { StoredImage } from "../images/images.ts";
import {
  hasDigest,
  hasTag,
  inUse,
  type RepoInterval,
  visibleImages,
} from "../images/visible-images.ts";
import type { PackageRow } from "../packages/image-packages-list.ts";
import { type PackageFilter, versionsNamed } from "../packages/named-packages.ts";
import { joined, numberOf, part, type SqlPart } from "../sql-part.ts";
import type { FindingRow as StoredFinding } from "./findings.ts";

/** Reads of findings for callers: lists, counts by vulnerability and by fix. */

/** Conditions on findings; they combine with AND. */
export interface FindingFilter {
  readonly intervals: readonly RepoInterval[];
  readonly repo?: string;
  /** Of an image or an index. */
  readonly digest?: string;
  readonly tag?: string;
  /** Names of vulnerabilities, and all other names that records give them. */
  readonly names?: { readonly asked: readonly string[]; readonly all: readonly string[] };
  /** A part of the name of the vulnerability, in lower case, unless it has one of `names`. */
  readonly nameContains?: string;
  readonly package?: PackageFilter;
  readonly severities?: readonly number[];
  readonly statuses: readonly number[];
  readonly fixable?: boolean;
  readonly inUse?: boolean;
  /** Only those of images with a tag. */
  readonly tagged?: boolean;
  readonly exploited?: boolean;
  /** In millionths. */
  readonly minProbability?: number;
  readonly firstSeenSince?: number;
  /** Also findings resolved since then. */
  readonly resolvedSince?: number;
  readonly now: number;
}

/** A finding with its image and its package version. */
export interface FindingRow
  extends Omit<StoredFinding, "fixable">,
    Pick<StoredImage, "repo" | "digest" | "platform">,
    Omit<PackageRow, "id" | "version"> {
  readonly fixable: number;
  readonly packageVersion: string;
  readonly inUse: number;
  readonly exploited: number | null;
  readonly probability: number | null;
}

/** The order of a list of findings. Ties are in the order of vulnerability, image and version. */
export interface FindingOrder {
  readonly column: "severity" | "firstSeen" | "vulnerability" | "repo";
  readonly descending: boolean;
}

/** The position of a finding in a list. */
export type FindingPosition = readonly [
  key: string | number,
  vulnerability: string,
  image: number,
  version: number,
];

const ORDER_COLUMNS = {
  severity: "f.severity",
  firstSeen: "f.first_seen",
  vulnerability: "f.vulnerability",
  repo: "i.repo",
} as const;

const TIE = "f.vulnerability, f.image, f.version";

/** Whether the facts `x` of a vulnerability list it as exploited. */
export const EXPLOITED = "(CASE WHEN x.exploited > 0 THEN 1 ELSE 0 END)";

const COLUMNS = `f.image, f.vulnerability, f.version, f.status, f.severity, f.fixable,
  f.first_seen AS "firstSeen", f.resolved, f.detail, i.repo, i.digest, i.platform, v.purl, v.ecosystem, v.release,
  v.name, v.version AS "packageVersion", v.origin, v.origin_version AS "originVersion", v.license,
  coalesce((SELECT location FROM image_packages WHERE image_packages.version = f.version
    AND image_packages.image = f.image), '') AS location,
  ${EXPLOITED} AS exploited, x.probability`;

/** The tables of findings that a filter selects, from FROM to the end of WHERE. */
export function selected({ dialect }: Reader, filter: FindingFilter): SqlPart {
  const images = visibleImages(dialect, filter.intervals);
  const { sql, params } = joined(conditionsOf(dialect, filter), " AND ");
  return {
    sql: `FROM ${images.sql} JOIN findings f ON f.image = i.id JOIN package_versions v ON v.id = f.version
      LEFT JOIN vulnerability_facts x ON x.name = f.vulnerability WHERE ${sql}`,
    params: [...images.params, ...params],
  };
}

function conditionsOf(dialect: Reader["dialect"], filter: FindingFilter): SqlPart[] {
  const isAny = (column: string, values: readonly number[]): SqlPart => ({
    sql: `${column} IN (${values.map(() => "?").join(", ")})`,
    params: values,
  });
  const { now, repo, digest, tag, names, nameContains, severities, fixable, exploited } = filter;
  const { resolvedSince, firstSeenSince, minProbability } = filter;
  return [
    isAny("f.status", filter.statuses),
    resolvedSince === undefined
      ? part("f.resolved = 0")
      : part("(f.resolved = 0 OR f.resolved >= ?)", resolvedSince),
    repo !== undefined && part("i.repo = ?", repo),
    digest !== undefined && hasDigest(digest),
    tag !== undefined && hasTag(tag),
    nameConditions(dialect, names, nameContains),
    filter.package !== undefined && packageCondition(filter.package),
    severities !== undefined && isAny("f.severity", severities),
    fixable !== undefined && part("f.fixable = ?", Number(fixable)),
    filter.inUse !== undefined && equalTo(inUse(now), Number(filter.inUse)),
    filter.tagged === true && part("i.tags > 0"),
    exploited !== undefined && part(`${EXPLOITED} = ?`, Number(exploited)),
    minProbability !== undefined && part("x.probability >= ?", minProbability),
    firstSeenSince !== undefined && part("f.first_seen >= ?", firstSeenSince),
  ].filter((one) => one !== false);
}

function equalTo({ sql, params }: SqlPart, value: number): SqlPart {
  return { sql: `${sql} = ?`, params: [...params, value] };
}

function nameConditions(
  dialect: Reader["dialect"],
  names: FindingFilter["names"],
  contained: string | undefined,
): SqlPart | false {
  const parts = [
    names !== undefined && namesCondition(dialect, names),
    contained !== undefined && part(dialect.isWithin("lower(f.vulnerability)"), contained),
  ].filter((one) => one !== false);
  if (parts.length === 0) return false;
  const { sql, params } = joined(parts, " OR ");
  return { sql: `(${sql})`, params };
}

/**
 * Records of other tenants may join names that the records of this image do not: so a finding must itself have the name,
 * and the names of all records only narrow the search down.
 */
function namesCondition(
  dialect: Reader["dialect"],
  { asked, all }: NonNullable<FindingFilter["names"]>,
): SqlPart {
  const own = asked.map((name) => part(dialect.isWithin("f.detail"), JSON.stringify(name)));
  const isAsked = part(`f.vulnerability IN (${dialect.texts})`, JSON.stringify(asked));
  const named = joined([isAsked, ...own], " OR ");
  return joined(
    [
      part(`f.vulnerability IN (${dialect.texts})`, JSON.stringify(all)),
      part(`(${named.sql})`, ...named.params),
    ],
    " AND ",
  );
}

function packageCondition(filter: PackageFilter): SqlPart {
  const { sql, params } = versionsNamed(filter);
  return part(`f.version IN (${sql})`, ...params);
}

/** A page of findings after a position. */
export async function readFindings(
  reader: Reader,
  filter: FindingFilter,
  page: {
    readonly order: FindingOrder;
    readonly after?: FindingPosition | undefined;
    readonly limit: number;
  },
): Promise<FindingRow[]> {
  const { order, after, limit } = page;
  const from = selected(reader, filter);
  const use = inUse(filter.now);
  const column = ORDER_COLUMNS[order.column];
  const later = after && afterPosition(column, order.descending, after);
  return reader.all<FindingRow>(
    `SELECT ${COLUMNS}, ${use.sql} AS "inUse" ${from.sql}${later ? ` AND ${later.sql}` : ""}
     ORDER BY ${column} ${order.descending ? "DESC" : "ASC"}, ${TIE} LIMIT ?`,
    ...use.params,
    ...from.params,
    ...(later?.params ?? []),
    limit,
  );
}

function afterPosition(
  column: string,
  descending: boolean,
  [key, ...tie]: FindingPosition,
): SqlPart {
  return {
    sql: `(${column} ${descending ? "<" : ">"} ? OR (${column} = ? AND (${TIE}) > (?, ?, ?)))`,
    params: [key, key, ...tie],
  };
}

export function positionOf(row: FindingRow, { column }: FindingOrder): FindingPosition {
  return [row[column], row.vulnerability, row.image, row.version];
}

export function countFindings(reader: Reader, filter: FindingFilter): Promise<number> {
  return numberOf(reader, "count(*)", selected(reader, filter));
}

/** Steps from name to name: aliases of aliases of aliases. */
const MAX_STEPS = 8;

/** All names by which any records join vulnerabilities to one of these names. */
export async function namesBeside(reader: Reader, names: readonly string[]): Promise<string[]> {
  const found = new Set(names);
  for (let step = 0, last = [...names]; last.length > 0 && step < MAX_STEPS; step++) {
    const rows = await reader.all<{ name: string }>(
      `SELECT DISTINCT b.name FROM vulnerability_record_names a
       JOIN vulnerability_record_names b ON b.record = a.record WHERE a.name IN (${reader.dialect.texts})`,
      JSON.stringify(last),
    );
    last = rows.map(({ name }) => name).filter((name) => !found.has(name));
    for (const name of last) found.add(name);
  }
  return [...found];
}
