import { PermissionDeniedError, tooMany, WharfError } from "../../lib/errors.ts";
import { Waiting } from "../../lib/scheduling/waiting.ts";
import type { Call, Reply, StreamedMessage } from "../../rpc/call.ts";
import { streamReply } from "../../rpc/reply.ts";
import { writeAudit } from "../../store/tables/audit/audit-and-events.ts";
import { auditEntry } from "../audit/audit.ts";
import type { Engine } from "../engine.ts";
import type { LogFollower } from "./log-follower.ts";

/** The rights of a stream are checked before each message, and this often without messages. */
const RECHECK_MS = 5_000;

/** Streams of one caller, and of all callers, in this process. */
const MAX_STREAMS_PER_CALLER = 50;
const MAX_STREAMS = 2_000;

/** The canonical code of PERMISSION_DENIED. */
const PERMISSION_DENIED = 7;

/** What a stream sends. */
export interface Watched<T, F> {
  /** What is audited when the right to read is withdrawn. */
  readonly resource: string;
  readonly followed: F;
  /** Reads what follows; nothing if there is nothing yet. */
  next(): Promise<readonly T[]>;
  /** Throws PERMISSION_DENIED if the caller may not read any more. */
  mustStillRead(): Promise<void>;
  /** Something as a message; undefined if the caller may not see it any more. */
  message(item: T): Promise<StreamedMessage | undefined> | StreamedMessage;
}

/** The streams of a log: what is stored from a position on, and then everything as it is committed. */
export class Streams<F> {
  readonly #engine: Engine;
  readonly #follower: LogFollower<F>;
  readonly #open = new Map<string, number>();

  constructor(engine: Engine, follower: LogFollower<F>) {
    this.#engine = engine;
    this.#follower = follower;
  }

  reply<T>(call: Call, watched: Watched<T, F>): Reply {
    const { uid } = call.caller;
    const own = this.#open.get(uid) ?? 0;
    const total = [...this.#open.values()].reduce((sum, count) => sum + count, 0);
    if (own >= MAX_STREAMS_PER_CALLER || total >= MAX_STREAMS) throw tooMany("too many streams");
    return streamReply(this.#counted(uid, () => this.#messages(call, watched)));
  }

  /** Counts a stream while it is read. */
  async *#counted<M>(uid: string, stream: () => AsyncIterable<M>): AsyncGenerator<M> {
    this.#open.set(uid, (this.#open.get(uid) ?? 0) + 1);
    try {
      yield* stream();
    } finally {
      const left = (this.#open.get(uid) ?? 1) - 1;
      if (left === 0) this.#open.delete(uid);
      else this.#open.set(uid, left);
    }
  }

  async *#messages<T>(call: Call, watched: Watched<T, F>): AsyncGenerator<StreamedMessage> {
    const waiting = new Waiting();
    const unfollow = this.#follower.follow(watched.followed, waiting);
    try {
      for (;;) {
        const items = await watched.next();
        for (const item of items) {
          await watched.mustStillRead();
          const message = await watched.message(item);
          if (message !== undefined) yield message;
        }
        if (this.#follower.isEnded) throw new WharfError("UNAVAILABLE", "the server is stopping");
        if (items.length > 0) continue;
        await waiting.wait(RECHECK_MS);
        await watched.mustStillRead();
      }
    } catch (error) {
      if (error instanceof PermissionDeniedError) await this.#auditEnd(call, watched, error);
      throw error;
    } finally {
      unfollow();
    }
  }

  /** The stream stops with an audit entry: its caller has lost the right to read. */
  async #auditEnd(
    call: Call,
    { resource }: { readonly resource: string },
    { message }: Error,
  ): Promise<void> {
    const detail = { ended: message };
    const entry = auditEntry(call, { resource, code: PERMISSION_DENIED, detail });
    await this.#engine.store.write(async (tx) => writeAudit(tx, { ...entry, time: Date.now() }));
  }
}
