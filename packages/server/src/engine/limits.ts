/** Sizes that bound what one request costs. Operators cannot choose them; tests choose smaller ones. */
export interface EngineLimits {
  /**
   * The rows of a page, in bytes or characters: gRPC clients accept messages of 4 MiB by default, and a
   * page has a few fields beside its rows.
   */
  readonly pageBytes: number;
  /** Lists over more subtrees than this collect their rows together, and are limited per share of callers. */
  readonly manyRanges: number;
  /**
   * Tags of each partition deleted in one transaction, which blocks all other writes. A larger repo is
   * emptied in several transactions before it is deleted.
   */
  readonly deletedTags: number;
  /** Streams of each log in this process, of all callers. */
  readonly streams: number;
  /** Bound per caller: more streams are a mistake of the client. */
  readonly streamsPerCaller: number;
  /**
   * The time that requests keep the event loop before new ones are read, in milliseconds: some twenty GETs, so that those of
   * many connections start without waiting in the queue.
   */
  readonly sliceMs: number;
  /** Requests of an organization, or of the people of a client network, that wait for the event loop. */
  readonly waitingPerOwner: number;
  /** Requests of all callers that wait for it. */
  readonly waiting: number;
}

export const ENGINE_LIMITS: EngineLimits = {
  pageBytes: 4 * 1024 * 1024 - 16 * 1024,
  manyRanges: 100,
  deletedTags: 2_000,
  streams: 2_000,
  streamsPerCaller: 50,
  sliceMs: 1,
  waitingPerOwner: 2_000,
  waiting: 4_000,
};
