/** Reads that PostgreSQL answers within a millisecond, recognized by how the store writes them. */

/** Reads of one row by its key. */
const POINT_READ =
  /^SELECT [\w, ]+ FROM \w+ WHERE uid = \?( AND kind = \?)?$|^SELECT version FROM access_version$/;

/** Whether a statement reads one row by its key. */
export function isPointRead(sql: string): boolean {
  return POINT_READ.test(sql);
}

const WALK_END = ") walk LIMIT ? OFFSET ?";

/**
 * A short page of ordered rows that an index has in their order. PostgreSQL takes a limit that is a parameter for a tenth
 * of all rows when it plans for any parameters; the limit inside tells it that they are few.
 */
export function walkSql(ordered: string, maxRows: number): string {
  return `SELECT * FROM (${ordered} LIMIT ${maxRows}${WALK_END}`;
}

/** Whether a statement is such a page. */
export function isWalk(sql: string): boolean {
  return sql.includes(WALK_END);
}

/**
 * Settings of connections for walks. Half of the time of a page would be spent on its plan, which is always the same: the
 * index with its order, whatever statistics say, and also where a table has grown since they were gathered.
 */
export const WALK_SETTINGS = `SET plan_cache_mode = force_generic_plan; SET enable_seqscan = off;
  SET enable_bitmapscan = off; SET enable_sort = off; SET enable_incremental_sort = off`;
