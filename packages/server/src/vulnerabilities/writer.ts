import { setImmediate } from "node:timers/promises";
import { timestampFromMs, timestampMs } from "@bufbuild/protobuf/wkt";
import { type Advisory, type AdvisoryEvent, newChildUid, parentOf } from "@wharf/contract";
import { Mutation, type WriteDeps } from "../engine/write/mutation.ts";
import { timeAfterAll } from "../engine/write/update-time.ts";
import { notFound } from "../lib/errors.ts";
import type { Call } from "../rpc/call.ts";
import type { Transaction, Work } from "../store/db/commit/transaction.ts";
import { advisories } from "./advisories.ts";
import { indexSubpackages } from "./origins.ts";

/** Advisories per insert: few statements, and some tens of milliseconds. */
const BATCH_SIZE = 250;

/**
 * Acquires the lock of advisory writers until the end of the transaction, and returns the update time of all
 * advisories that the transaction writes, in milliseconds.
 *
 * Incremental readers ask for advisories updated since the last update time that they have seen. So that they
 * miss none, an advisory must not become visible with an update time that is not later than all that were
 * visible before. Hence the lock; and the time is later than any stored one, whatever the clocks of replicas
 * say.
 */
export async function allocateUpdateTime(tx: Transaction): Promise<number> {
  await tx.acquireLock();
  return timeAfterAll(tx, advisories.table, Date.now());
}

/**
 * Writes the advisories of one group within one mutation. The only other writer is settleSeverities, which
 * changes update times.
 */
export class AdvisoryWriter {
  readonly change: Mutation;
  /** The uid of the group. */
  readonly group: string;
  /** The update time of all advisories that this writes, in milliseconds. */
  readonly time: number;

  private constructor(change: Mutation, group: string, time: number) {
    this.change = change;
    this.group = group;
    this.time = time;
  }

  /** Waits for the lock of advisory writers. Throws if the group does not exist. */
  static async begin(change: Mutation, group: string): Promise<AdvisoryWriter> {
    const { deps, tx } = change;
    const time = await allocateUpdateTime(tx);
    if (!(await deps.catalog.groups.table.keep(tx, group))) {
      throw notFound(deps.catalog.groups.typeName, group);
    }
    return new AdvisoryWriter(change, group, time);
  }

  /** The advisory with this advisory id in the group, deleted or not. */
  async find(advisoryId: string): Promise<Advisory | undefined> {
    const row = await advisories.table.namedForChange(this.change.tx, this.group, advisoryId);
    return row && advisories.fromRow(row);
  }

  /** The advisory with this uid, deleted or not. */
  async findByUid(uid: string): Promise<Advisory> {
    const row = await advisories.table.findForChange(this.change.tx, uid);
    if (row === undefined) throw notFound(advisories.typeName, uid);
    return advisories.fromRow(row);
  }

  /** Inserts an advisory under a new uid, with default times. Throws if the group has one with its id. */
  async insert(input: Advisory): Promise<Advisory> {
    const created = this.#withUid(input);
    await this.change.insert(advisories, created, this.change.call.method);
    await indexSubpackages(this.change.tx, this.group, [created]);
    return created;
  }

  /** Inserts many advisories in a mutation that emits one event for all. Returns them with their uids. */
  async insertAll(change: Mutation, input: readonly Advisory[]): Promise<Advisory[]> {
    const inserted: Advisory[] = [];
    for (let at = 0; at < input.length; at += BATCH_SIZE) {
      const batch = input.slice(at, at + BATCH_SIZE).map((one) => this.#withUid(one));
      inserted.push(...batch);
      await change.insertAll(advisories, batch);
      await indexSubpackages(change.tx, this.group, batch);
      // The embedded database writes synchronously: yield to the event loop.
      await setImmediate();
    }
    return inserted;
  }

  /** Replaces an advisory. */
  async update(input: Advisory): Promise<Advisory> {
    const updated = copied(input);
    this.#setDefaults(updated);
    await this.change.update(advisories, updated, this.change.call.method);
    await indexSubpackages(this.change.tx, this.group, [updated]);
    return updated;
  }

  /** Soft-deletes an advisory. */
  async delete(input: Advisory): Promise<Advisory> {
    return this.update({ ...input, deleteTime: timestampFromMs(this.time) });
  }

  #withUid(input: Advisory): Advisory {
    const created = copied(input);
    created.uid = newChildUid(this.group);
    created.createTime ??= timestampFromMs(this.time);
    this.#setDefaults(created);
    return created;
  }

  #setDefaults(advisory: Advisory): void {
    advisory.updateTime = timestampFromMs(this.time);
    // Hydrated on every read.
    advisory.severities = [];
    for (const event of advisory.events) {
      if (event.uid === "") event.uid = newChildUid(advisory.uid);
      event.createTime ??= timestampFromMs(this.time);
    }
    advisory.events.sort((a, b) => timeOf(a) - timeOf(b));
  }
}

/** A shallow copy: an import has very many advisories. */
function copied(input: Advisory): Advisory {
  return { ...input, events: input.events.map((event) => ({ ...event })) };
}

function timeOf({ createTime }: AdvisoryEvent): number {
  return createTime === undefined ? 0 : timestampMs(createTime);
}

/** The work of a transaction that writes advisories of a group. */
export function workIn<T>(
  deps: WriteDeps,
  call: Call,
  group: string,
  work: (writer: AdvisoryWriter) => Promise<T>,
): Work<T> {
  return async (tx) => work(await AdvisoryWriter.begin(new Mutation(call, tx, deps), group));
}

/** The work of a transaction that changes an advisory. Throws if it does not exist, or is deleted. */
export function workOn<T>(
  deps: WriteDeps,
  call: Call,
  uid: string,
  work: (writer: AdvisoryWriter, before: Advisory) => Promise<T>,
  which: "present" | "deleted too" = "present",
): Work<T> {
  return async (tx) => {
    // Checked first, so that the error names the advisory and not its group.
    if ((await advisories.table.find(tx, uid, "data")) === undefined) throw missing(uid);
    const writer = await AdvisoryWriter.begin(new Mutation(call, tx, deps), parentOf(uid));
    const before = await writer.findByUid(uid);
    if (which === "present" && before.deleteTime !== undefined) throw missing(uid);
    return work(writer, before);
  };
}

/** Changes an advisory in a transaction of its own. */
export function writeAdvisory<T>(...args: Parameters<typeof workOn<T>>): Promise<T> {
  const [deps, call] = args;
  return deps.store.writeFor(call, workOn(...args));
}

function missing(uid: string): Error {
  return notFound(advisories.typeName, uid);
}
