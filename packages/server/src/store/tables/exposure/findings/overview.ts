import type { Reader } from "../../../db/connection.ts";
import { inUse, type RepoInterval, visibleImages } from "../images/visible-images.ts";
import { joined, numberOf, part, type SqlPart } from "../sql-part.ts";
import type { FindingCount } from "./finding-counts.ts";

/** Numbers over the images with a tag that a caller may see. */

export interface OverviewScope {
  readonly intervals: readonly RepoInterval[];
  /** Only images in use. */
  readonly inUse: boolean;
  readonly now: number;
}

/** The images of a scope, from FROM to the end of WHERE; `joins` between. */
function images({ dialect }: Reader, scope: OverviewScope, joins = ""): SqlPart {
  const visible = visibleImages(dialect, scope.intervals);
  const use = inUse(scope.now);
  return {
    sql: `FROM ${visible.sql} ${joins} WHERE i.tags > 0${scope.inUse ? ` AND ${use.sql} = 1` : ""}`,
    params: [...visible.params, ...(scope.inUse ? use.params : [])],
  };
}

/** The number of images by state. */
export async function imagesByState(
  reader: Reader,
  scope: OverviewScope,
): Promise<ReadonlyMap<number, number>> {
  const { sql, params } = images(reader, scope);
  const rows = await reader.arrays<readonly [number, number]>(
    `SELECT i.state, count(*) ${sql} GROUP BY i.state`,
    ...params,
  );
  return new Map(rows);
}

export type OpenCounts = Omit<FindingCount, "image">;

/** Open and suppressed findings by severity. */
export function countsBySeverity(reader: Reader, scope: OverviewScope): Promise<OpenCounts[]> {
  const { sql, params } = images(reader, scope, "JOIN finding_counts c ON c.image = i.id");
  const sums = ["open", "fixable", "suppressed"].map(
    (column) => `CAST(sum(c.${column}) AS BIGINT) AS ${column}`,
  );
  return reader.all<OpenCounts>(
    `SELECT c.severity, ${sums.join(", ")} ${sql} GROUP BY c.severity ORDER BY c.severity`,
    ...params,
  );
}

/** The number of images with an open finding. */
export function countAffected(reader: Reader, scope: OverviewScope): Promise<number> {
  const { sql, params } = images(reader, scope, "JOIN finding_counts c ON c.image = i.id");
  return numberOf(reader, "count(DISTINCT i.id)", part(`${sql} AND c.open > 0`, ...params));
}

/** Conditions on findings `f`. */
interface FindingsScope extends OverviewScope {
  readonly statuses: readonly number[];
}

function findings(reader: Reader, scope: FindingsScope): SqlPart {
  const { sql, params } = images(reader, scope, "JOIN findings f ON f.image = i.id");
  const marks = scope.statuses.map(() => "?").join(", ");
  return { sql: `${sql} AND f.status IN (${marks})`, params: [...params, ...scope.statuses] };
}

/** The number of vulnerabilities behind open findings, by severity. */
export async function vulnerabilitiesBySeverity(
  reader: Reader,
  scope: FindingsScope,
): Promise<ReadonlyMap<number, number>> {
  const { sql, params } = findings(reader, scope);
  const rows = await reader.arrays<readonly [number, number]>(
    `SELECT f.severity, count(DISTINCT f.vulnerability) ${sql} AND f.resolved = 0 GROUP BY f.severity`,
    ...params,
  );
  return new Map(rows);
}

/** The number of findings that begin or end on a day, by severity. */
export interface DayChange {
  /** Days since 1970. */
  readonly day: number;
  readonly severity: number;
  readonly count: number;
}

const DAY_MS = 24 * 3_600_000;

/** Findings by the day on which they were first seen, or resolved. */
export function findingsByDay(
  reader: Reader,
  scope: FindingsScope,
  time: "first_seen" | "resolved",
): Promise<DayChange[]> {
  const { sql, params } = findings(reader, scope);
  return reader.all<DayChange>(
    `SELECT f.${time} / ${DAY_MS} AS day, f.severity, count(*) AS count ${sql} AND f.${time} > 0 GROUP BY 1, 2`,
    ...params,
  );
}

/** The median of the milliseconds from the first finding to the resolution, of those resolved since a time. */
export async function medianToFix(
  reader: Reader,
  scope: FindingsScope,
  since: number,
): Promise<number | undefined> {
  const { sql, params } = findings(reader, scope);
  const resolved = part(`${sql} AND f.resolved >= ?`, ...params, since);
  const count = await numberOf(reader, "count(*)", resolved);
  if (count === 0) return undefined;
  const middle = part("ORDER BY 1 LIMIT 1 OFFSET ?", Math.floor((count - 1) / 2));
  return numberOf(reader, "f.resolved - f.first_seen", joined([resolved, middle], " "));
}
