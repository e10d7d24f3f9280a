/** Measured costs of single operations, and the bytes of stored rows, for docs/scale.md. */

export type StoreName = "SQLite" | "PostgreSQL";

export type Operation = "GET" | "list 50" | "create";

/** The shares of requests below which quantiles are reported. */
export const QUANTILES = [0, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.98, 0.99, 0.995, 0.999, 1];

/** The cost of one operation for a server process on a core of its own. */
export interface Cost {
  readonly operation: Operation;
  readonly store: StoreName;
  /** Responses per second of a saturated process. */
  readonly perSecond: number;
  /** CPU time of the server for each response, in microseconds. */
  readonly serverMicros: number;
  /** CPU time of PostgreSQL for each response; 0 for SQLite, which runs within the server. */
  readonly databaseMicros: number;
}

/** Measured response times at a share of the capacity. */
export interface LoadPoint {
  readonly operation: Operation;
  readonly store: StoreName;
  /** The share of the responses per second of a saturated process. */
  readonly share: number;
  readonly perSecond: number;
  /** Response times in milliseconds, at `QUANTILES`. */
  readonly ms: readonly number[];
}

/** The size of stored resources. */
export interface Size {
  readonly kind: string;
  readonly rows: number;
  /** Bytes in SQLite, with all indexes. */
  readonly bytes: number;
}

export interface Costs {
  readonly operations: readonly Cost[];
  readonly loads: readonly LoadPoint[];
  readonly sizes: readonly Size[];
}

/** The value at a share of an ascending list. */
export function quantile(sorted: ArrayLike<number>, share: number): number {
  const at = Math.min(sorted.length - 1, Math.max(0, Math.ceil(share * sorted.length) - 1));
  return sorted[at] ?? Number.NaN;
}

export function quantilesOf(sorted: ArrayLike<number>): number[] {
  return QUANTILES.map((share) => Number(quantile(sorted, share).toFixed(4)));
}

/** A reported quantile. */
export function keptQuantile(kept: readonly number[], share: number): number {
  return kept[QUANTILES.indexOf(share)] ?? Number.NaN;
}
