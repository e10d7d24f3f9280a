import type { BuildLimits } from "../store/resources/lists/list-index.ts";

/** Sizes that bound what one request costs. Operators cannot choose them; tests choose smaller ones. */
export interface EngineLimits {
  /**
   * Rows with the same value of the first key that are sorted by further keys. An index has the order of the first key
   * only, so a whole run is read, without the resources: this bounds what a page costs.
   */
  readonly runRows: number;
  /** The skip index has the position of every such row: a skip reads at most this many rows. */
  readonly skipStride: number;
  /**
   * The rows of a page, in bytes or characters: gRPC clients accept messages of 4 MiB by default, and a
   * page has a few fields beside its rows.
   */
  readonly pageBytes: number;
  /** Lists over more ranges than this are limited per share of callers. */
  readonly manyRanges: number;
  /** Lists by text of tables with fewer rows test the rows in the store; those of larger ones use an index. */
  readonly minSearchedRows: number;
  /**
   * How long lists by text keep the event loop at a time, in milliseconds. Among a million rows they take tens of
   * milliseconds: with short slices, other requests hardly notice.
   */
  readonly searchSliceMs: number;
  /**
   * Tags of each partition deleted in one transaction, which blocks all other writes. A larger repo is
   * emptied in several transactions before it is deleted.
   */
  readonly deletedTags: number;
  /** The indexes of single lists. */
  readonly listIndexes: BuildLimits;
  /** Streams of each log in this process, of all callers. */
  readonly streams: number;
  /** Those of one caller: more are a mistake of the client. */
  readonly streamsPerCaller: number;
}

export const ENGINE_LIMITS: EngineLimits = {
  runRows: 10_000,
  skipStride: 5_000,
  pageBytes: 4 * 1024 * 1024 - 16 * 1024,
  manyRanges: 100,
  minSearchedRows: 10_000,
  searchSliceMs: 0.5,
  deletedTags: 2_000,
  listIndexes: { sortedRows: 500, blockRows: 2_000, batchRows: 4_000 },
  streams: 2_000,
  streamsPerCaller: 50,
};
