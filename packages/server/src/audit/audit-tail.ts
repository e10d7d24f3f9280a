import type { FollowedLog } from "../engine/streams/log-follower.ts";
import type { Reader } from "../store/db/connection.ts";
import { settledAuditId } from "../store/tables/audit/horizon.ts";

/**
 * The end of the audit log: the last entry before which none can appear any more. A stream that sent a later one would
 * skip those that other replicas commit afterwards.
 */
export class AuditTail implements FollowedLog<undefined> {
  readonly #reader: Reader;
  #settled: number | undefined;

  constructor(reader: Reader) {
    this.#reader = reader;
  }

  /** The uid of that entry, as it was when the log was last read; undefined before. */
  get settled(): number | undefined {
    return this.#settled;
  }

  async advance(): Promise<(() => boolean) | undefined> {
    const before = this.#settled;
    this.#settled = (await settledAuditId(this.#reader)) ?? before;
    return this.#settled === before ? undefined : () => true;
  }

  forget(): void {
    this.#settled = undefined;
  }
}
