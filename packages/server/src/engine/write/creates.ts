import { fromBinary } from "@bufbuild/protobuf";
import type { TokenSealer } from "../../lib/crypto/token-sealer.ts";
import { aborted, type CodeName, failedPrecondition, WharfError } from "../../lib/errors.ts";
import type { Call, Reply } from "../../rpc/call.ts";
import type { IdempotencyKey } from "../../rpc/idempotency.ts";
import { messageReply } from "../../rpc/reply.ts";
import type { Lock } from "../../store/db/commit/locked-rows.ts";
import type { Transaction, Work } from "../../store/db/commit/transaction.ts";
import type { Reader } from "../../store/db/connection.ts";
import type { Store } from "../../store/db/store.ts";
import {
  addResponse,
  findResponse,
  type StoredResponse,
} from "../../store/tables/idempotency-keys.ts";
import type { WriteDeps } from "./mutation.ts";

/** Retention of a response. Clients retry for minutes, jobs for hours. */
const TTL_MS = 24 * 3_600_000;

/** Dependencies of methods that create resources. */
export interface CreateDeps extends WriteDeps {
  readonly creates: Creates;
}

/** Stores the response of a create in its transaction; does nothing for a call without a key. */
export type Remember = (tx: Transaction, reply: Reply) => Promise<void>;

/** Errors about what exists. They can be caused by the very create that is repeated; all others are reported. */
const STATE_ERRORS: ReadonlySet<CodeName> = new Set([
  "ABORTED",
  "ALREADY_EXISTS",
  "FAILED_PRECONDITION",
  "INVALID_ARGUMENT",
  "NOT_FOUND",
  "RESOURCE_EXHAUSTED",
]);

/**
 * Executes creates, at most once for each idempotency key. The response is stored in the transaction of the create, so
 * it is there exactly if the create was committed, whatever happened to the server or its connections. Only successful
 * requests are remembered: others have changed nothing.
 */
export class Creates {
  readonly #store: Store;
  readonly #sealer: TokenSealer;
  /** Creates with a key that run in this process. Repeated requests wait for them. */
  readonly #running = new Map<string, Promise<unknown>>();

  constructor(store: Store, sealer: TokenSealer) {
    this.#store = store;
    this.#sealer = sealer;
  }

  /** Creates something in one transaction, which locks these rows, and makes the response of it. */
  async write<T>(
    call: Call,
    work: Work<T>,
    replyOf: (created: T, reader: Reader) => Reply | Promise<Reply>,
    locks: readonly Lock[] = [],
  ): Promise<Reply> {
    const store = this.#store;
    if (call.isDryRun) {
      // Its reply is made of rows that exist only in the transaction.
      return store.writeFor(call, async (tx) => replyOf(await work(tx), tx), locks);
    }
    if (call.idempotency === undefined) {
      return replyOf(await store.writeFor(call, work, locks), store.reader);
    }
    const run = (remember: Remember) =>
      store.writeFor(
        call,
        async (tx) => {
          const reply = await replyOf(await work(tx), tx);
          await remember(tx, reply);
          return reply;
        },
        locks,
      );
    return this.once(call, run, () => this.#rehearse(call, work));
  }

  /**
   * Runs a create that takes more than one transaction. It must remember its response in the last one. `authorize`
   * throws if the caller could no longer create this: then there is no replay.
   */
  async once(
    call: Call,
    run: (remember: Remember) => Promise<Reply>,
    authorize: () => Promise<unknown>,
  ): Promise<Reply> {
    const { idempotency: key } = call;
    if (key === undefined) return run(async () => {});
    while (this.#running.has(key.id)) {
      await this.#running.get(key.id);
      if (call.abandoned !== undefined) throw call.abandoned;
    }
    const running = this.#runOnce(call, key, run, authorize);
    const settled = running.catch(() => {}).finally(() => this.#running.delete(key.id));
    this.#running.set(key.id, settled);
    return running;
  }

  async #runOnce(
    call: Call,
    key: IdempotencyKey,
    run: (remember: Remember) => Promise<Reply>,
    authorize: () => Promise<unknown>,
  ): Promise<Reply> {
    const find = () => findResponse(this.#store.reader, key.id, call.time);
    const stored = await find();
    if (stored !== undefined) {
      await authorize();
      return this.#replay(call, key, stored);
    }
    try {
      return await run((tx, reply) => this.#remember(tx, call, key, reply));
    } catch (thrown) {
      // Another replica may have executed the same request meanwhile.
      const other = isStateError(thrown) ? await find() : undefined;
      if (other === undefined) throw thrown;
      return this.#replay(call, key, other);
    }
  }

  async #remember(
    tx: Transaction,
    { method, time }: Call,
    { id, request }: IdempotencyKey,
    reply: Reply,
  ): Promise<void> {
    const text = Buffer.from(reply.binary()).toString("base64");
    const response = this.#sealer.seal(text, sealedFor(id, method.output.typeName));
    if (!(await addResponse(tx, { id, request, response, expires: time + TTL_MS }, time))) {
      throw aborted("another request with this idempotency key is being executed: try again");
    }
  }

  #replay(
    { method: { output } }: Call,
    key: IdempotencyKey,
    { id, request, response }: StoredResponse,
  ): Reply {
    if (request !== key.request) {
      const description =
        "another request had this idempotency key: use a new key for each request";
      throw failedPrecondition({ type: "IDEMPOTENCY_KEY_REUSED", description });
    }
    const text = this.#sealer.open(response, sealedFor(id, output.typeName));
    if (text === undefined) {
      const description =
        "a request with this idempotency key succeeded, but its response was sealed with a secret that has been rotated";
      throw failedPrecondition({ type: "IDEMPOTENCY_KEY_RESPONSE_LOST", description });
    }
    key.markReplayed();
    return messageReply(output, fromBinary(output, Buffer.from(text, "base64")));
  }

  /** Runs a create and rolls it back: throws if the caller may not do it. */
  async #rehearse(call: Call, work: Work<unknown>): Promise<void> {
    const key = call.idempotency as IdempotencyKey;
    key.isRehearsal = true;
    try {
      await this.#store.writeFor(call, async (tx) => {
        await work(tx);
        throw aborted("rolled back");
      });
    } catch (thrown) {
      if (!isStateError(thrown)) throw thrown;
    } finally {
      key.isRehearsal = false;
    }
  }
}

function isStateError(thrown: unknown): boolean {
  return thrown instanceof WharfError && STATE_ERRORS.has(thrown.code);
}

/** A response opens only for its key and method. */
function sealedFor(id: string, type: string): string {
  return `${id} ${type}`;
}
