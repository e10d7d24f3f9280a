import { DatabaseUnavailable } from "./failures.ts";

/** How far a server is in the write-ahead log, and of which database it has a copy. */
export interface WalState {
  readonly isStandby: boolean;
  /** In bytes: what a primary has written, or a standby has replayed; null before it has replayed anything. */
  readonly position: number | null;
  /** Grows with every promotion of a standby. That of a standby follows with its restart points. */
  readonly timeline: number;
  /** Equal only for copies of the same database that find the same tables. */
  readonly database: string;
}

/** Reads the state of a primary or a standby. */
export const WAL_STATE = `SELECT pg_is_in_recovery() AS "isStandby",
    pg_wal_lsn_diff(CASE WHEN pg_is_in_recovery() THEN pg_last_wal_replay_lsn()
      ELSE pg_current_wal_lsn() END, '0/0')::bigint AS position,
    CASE WHEN pg_is_in_recovery() THEN greatest(c.timeline_id, r.min_recovery_end_timeline)
      ELSE ('x' || substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8))::bit(32)::int END AS timeline,
    concat_ws(' ', s.system_identifier, d.oid, to_regclass('access_version')::oid) AS database
  FROM pg_control_system() s, pg_control_checkpoint() c, pg_control_recovery() r, pg_database d
  WHERE d.datname = current_database()`;

/** Positions of the primary that are remembered: a standby that lags behind all of them is not used. */
const MAX_SAMPLES = 1_200;

interface Sample {
  readonly at: number;
  readonly position: number;
}

/**
 * How old the data of a standby can be. The position of the primary is read at intervals; a standby that has replayed it
 * has everything that was committed before. So the clocks of the servers need not agree, and an idle primary makes no
 * standby look old.
 */
export class ReplayProgress {
  #primary: WalState | undefined;
  #samples: Sample[] = [];
  /** The position that a standby had replayed. */
  #replayed = 0;
  #currentAt: number | undefined;
  #isLost = false;

  /** The latest time at which the standby is known to have had everything; undefined while it cannot be used. */
  get currentAt(): number | undefined {
    return this.#isLost ? undefined : this.#currentAt;
  }

  /** The primary has this state, at a time or later. */
  primaryIs(state: WalState, at: number): void {
    const { timeline, database } = this.#primary ?? {};
    // Positions of another timeline, or another database, say nothing.
    if (timeline !== state.timeline || database !== state.database) {
      this.#samples = [];
      this.#replayed = 0;
      this.#currentAt = undefined;
    }
    this.#primary = state;
    this.#samples.push({ at, position: state.position ?? 0 });
    if (this.#samples.length > MAX_SAMPLES) this.#samples.shift();
  }

  /** The standby has this state. Throws if it cannot be used. */
  standbyIs(state: WalState): void {
    const position = this.accept(state);
    this.#replayed = position;
    this.#isLost = false;
    const reached = this.#samples.findLast((sample) => sample.position <= position);
    if (reached === undefined) return;
    this.#currentAt = reached.at;
    this.#samples = this.#samples.filter(({ at }) => at > reached.at);
  }

  /** The position of a standby. Throws if it is none of the primary, or would show older data than another one has. */
  accept({ isStandby, position, timeline, database }: WalState): number {
    const primary = this.#primary;
    if (primary === undefined) throw unusable("the primary has not answered yet");
    if (!isStandby) throw unusable("it is no standby");
    if (database !== primary.database) throw unusable("it has another database than the primary");
    if (timeline !== primary.timeline)
      throw unusable(
        `it has not followed the last promotion yet (timeline ${timeline}, current is ${primary.timeline})`,
      );
    if (position === null || position < this.#replayed)
      throw unusable("it lags behind what was read before");
    return position;
  }

  /** The standby must not be used until its state is known again. */
  lost(): void {
    this.#isLost = true;
  }
}

function unusable(reason: string): DatabaseUnavailable {
  return new DatabaseUnavailable(reason, "standby");
}
