import { PermissionDeniedError, WharfError } from "../../lib/errors.ts";
import { WakeSignal } from "../../lib/scheduling/wake-signal.ts";
import type { Call, Reply, StreamedMessage } from "../../rpc/call.ts";
import { streamReply } from "../../rpc/reply.ts";
import type { Store } from "../../store/db/store.ts";
import { writeAudit } from "../../store/tables/audit/audit-and-events.ts";
import { auditEntry } from "../audit/audit.ts";
import type { EngineLimits } from "../limits.ts";
import type { LogFollower } from "./log-follower.ts";
import { type OpenStream, OpenStreams } from "./open-streams.ts";

/** The rights of a stream are checked before each message, and this often without messages. */
const RECHECK_MS = 5_000;

/** The canonical code of PERMISSION_DENIED. */
const PERMISSION_DENIED = 7;

/** Source of a stream: its items, and the right to read them. */
export interface Watched<T, F> {
  /** Resource of the audit entry when the right to read is withdrawn. */
  readonly resource: string;
  readonly followed: F;
  /** Reads what follows; nothing if there is nothing yet. */
  next(): Promise<readonly T[]>;
  /** Throws PERMISSION_DENIED if the caller may not read any more. */
  mustStillRead(): Promise<void>;
  /** Something as a message; undefined if the caller may not see it any more. */
  message(item: T): Promise<StreamedMessage | undefined> | StreamedMessage;
}

/** Dependencies of methods that stream. */
export interface StreamDeps {
  readonly store: Store;
  readonly limits: Pick<EngineLimits, "streams" | "streamsPerCaller">;
}

/** The streams of a log: what is stored from a position on, and then everything as it is committed. */
export class Streams<F> {
  readonly #store: Store;
  readonly #follower: LogFollower<F>;
  readonly #open: OpenStreams;

  constructor({ store, limits }: StreamDeps, follower: LogFollower<F>) {
    this.#store = store;
    this.#follower = follower;
    this.#open = new OpenStreams(limits.streams, limits.streamsPerCaller);
  }

  reply<T>(call: Call, watched: Watched<T, F>): Reply {
    this.#open.mustAdmit(call);
    return streamReply(this.#counted(call, watched));
  }

  /** Counts a stream while it is read. */
  async *#counted<T>(call: Call, watched: Watched<T, F>): AsyncGenerator<StreamedMessage> {
    const stream = this.#open.open(call);
    try {
      yield* this.#messages(call, watched, stream);
    } finally {
      this.#open.close(stream);
    }
  }

  async *#messages<T>(
    call: Call,
    watched: Watched<T, F>,
    stream: OpenStream,
  ): AsyncGenerator<StreamedMessage> {
    const wakeSignal = new WakeSignal();
    stream.onEnd(() => wakeSignal.wake());
    const unfollow = this.#follower.follow(watched.followed, wakeSignal);
    try {
      for (;;) {
        const items = await watched.next();
        for (const item of items) {
          if (stream.ended !== undefined) throw stream.ended;
          await watched.mustStillRead();
          const message = await watched.message(item);
          if (message !== undefined) yield message;
        }
        if (this.#follower.isEnded) throw new WharfError("UNAVAILABLE", "the server is stopping");
        if (items.length > 0) continue;
        await wakeSignal.wait(RECHECK_MS);
        if (stream.ended !== undefined) throw stream.ended;
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
    await this.#store.write(async (tx) => writeAudit(tx, { ...entry, time: Date.now() }));
  }
}
