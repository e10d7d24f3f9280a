/** Timeouts, by which a replica is back within five seconds of a reachable primary. */
export interface Timeouts {
  /** The precision of the others. */
  readonly tickMs: number;
  /** From the first packet to the answer of the first query. */
  readonly connectMs: number;
  /** A query without an answer for this time is suspicious. */
  readonly silenceMs: number;
  /** After this time, the hosts other than the last primary are tried, too. */
  readonly staggerMs: number;
  /** After a failed attempt to connect, there is no other for this time. */
  readonly retryMs: number;
  /** A statement that takes longer is stuck. */
  readonly statementMs: number;
  /** Wait of a read for a table that another session has locked. */
  readonly lockMs: number;
  /** Wait of a read for a connection. */
  readonly waitMs: number;
  /** Idle connections of reads are closed after this time. */
  readonly idleMs: number;
  /** The database ends transactions of replicas that hang or are gone. */
  readonly idleInTransactionMs: number;
  /** A ROLLBACK that takes longer is given up, with its connection. */
  readonly rollbackMs: number;
  /** Time to query the outcome of a commit whose connection broke: most callers wait 30 seconds. */
  readonly outcomeMs: number;
}

export const TIMEOUTS: Timeouts = {
  tickMs: 250,
  connectMs: 3_000,
  silenceMs: 1_500,
  staggerMs: 500,
  retryMs: 250,
  statementMs: 20_000,
  lockMs: 5_000,
  waitMs: 5_000,
  idleMs: 60_000,
  idleInTransactionMs: 10_000,
  rollbackMs: 2_000,
  outcomeMs: 15_000,
};
