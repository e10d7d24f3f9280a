import { setImmediate } from "node:timers/promises";
import { timestampFromMs, timestampMs } from "@bufbuild/protobuf/wkt";
import { type Advisory, type AdvisoryEvent, newChildUid } from "@wharf/contract";
import type { Mutation } from "../engine/mutation.ts";
import { notFound } from "../lib/errors.ts";
import { advisories } from "./advisories.ts";
import { noteSubpackages } from "./origins.ts";
import { takeUpdateTurn } from "./update-turn.ts";

/** So many are inserted with few statements, and in some tens of milliseconds. */
const TOGETHER = 250;

/**
 * Writes the advisories of one group within one change. Everything that changes advisories goes
 * through here, but for the time at which severities that they show have changed.
 */
export class AdvisoryWriter {
  readonly change: Mutation;
  /** The uid of the group. */
  readonly group: string;
  /** The update time of all that this writes, in milliseconds. */
  readonly time: number;

  private constructor(change: Mutation, group: string, time: number) {
    this.change = change;
    this.group = group;
    this.time = time;
  }

  /**
   * Waits for the turn. Refuses when there is no such group.
   *
   * @example const writer = await AdvisoryWriter.begin(change, group);
   */
  static async begin(change: Mutation, group: string): Promise<AdvisoryWriter> {
    const { engine, tx } = change;
    const time = await takeUpdateTurn(tx);
    if (!(await engine.catalog.groups.table.keep(tx, group))) {
      throw notFound(engine.catalog.groups.typeName, group);
    }
    return new AdvisoryWriter(change, group, time);
  }

  /** The advisory that goes by this id in the group, deleted or not. */
  async find(advisoryId: string): Promise<Advisory | undefined> {
    const row = await advisories.table.namedForChange(this.change.tx, this.group, advisoryId);
    return row && advisories.fromRow(row);
  }

  /** The advisory of this uid, deleted or not. */
  async findByUid(uid: string): Promise<Advisory> {
    const row = await advisories.table.findForChange(this.change.tx, uid);
    if (row === undefined) throw notFound(advisories.typeName, uid);
    return advisories.fromRow(row);
  }

  /**
   * Stores a new one and gives it its uid. Keeps the times that it has, fills in those that it has
   * not. Refuses when the group has another one of its id.
   *
   * @example const stored = await writer.insert(create(AdvisorySchema, { advisoryId, … }));
   */
  async insert(given: Advisory): Promise<Advisory> {
    const created = this.#begun(given);
    await this.change.insert(advisories, created, this.change.call.method);
    await noteSubpackages(this.change.tx, this.group, [created]);
    return created;
  }

  /**
   * The same for very many, of a change that leaves one event for all.
   *
   * @example await writer.insertAll(change, given);
   */
  async insertAll(change: Mutation, given: readonly Advisory[]): Promise<void> {
    for (let at = 0; at < given.length; at += TOGETHER) {
      const some = given.slice(at, at + TOGETHER);
      await change.insertAll(
        advisories,
        some.map((one) => this.#begun(one)),
      );
      await noteSubpackages(change.tx, this.group, some);
      // The embedded database writes without waiting: let readers have their turn.
      await setImmediate();
    }
  }

  #begun(given: Advisory): Advisory {
    const created = copied(given);
    created.uid = newChildUid(this.group);
    created.createTime ??= timestampFromMs(this.time);
    this.#settle(created);
    return created;
  }

  /**
   * Stores one anew, as it is given: what it was before is gone.
   *
   * @example const stored = await writer.update({ ...before, aliases });
   */
  async update(given: Advisory): Promise<Advisory> {
    const updated = copied(given);
    this.#settle(updated);
    await this.change.update(advisories, updated, this.change.call.method);
    await noteSubpackages(this.change.tx, this.group, [updated]);
    return updated;
  }

  /** Marks one as deleted. It stays, for those who keep a copy. */
  async delete(given: Advisory): Promise<Advisory> {
    return this.update({ ...given, deleteTime: timestampFromMs(this.time) });
  }

  #settle(advisory: Advisory): void {
    advisory.updateTime = timestampFromMs(this.time);
    // Filled in whenever it is read.
    advisory.severities = [];
    for (const event of advisory.events) {
      if (event.uid === "") event.uid = newChildUid(advisory.uid);
      event.createTime ??= timestampFromMs(this.time);
    }
    advisory.events.sort((a, b) => happened(a) - happened(b));
  }
}

/** Copied no deeper than it is changed here: very many can come at once. */
function copied(given: Advisory): Advisory {
  return { ...given, events: given.events.map((event) => ({ ...event })) };
}

function happened({ createTime }: AdvisoryEvent): number {
  return createTime === undefined ? 0 : timestampMs(createTime);
}
