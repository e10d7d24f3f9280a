import { randomUUID } from "node:crypto";
import type { DescMethod } from "@bufbuild/protobuf";
import {
  accessOf,
  type Capability,
  type CapabilitySet,
  capabilityName,
  eventOf,
  parentOf,
  rootOf,
} from "@wharf/contract";
import { hasEnded } from "../auth/authenticator.ts";
import type { Caller } from "../auth/caller.ts";
import { alreadyExists, permissionDenied } from "../lib/errors.ts";
import type { Call, EventBody, Told } from "../rpc/call.ts";
import type { Transaction } from "../store/db/group-commit.ts";
import type { ResourceRow } from "../store/resources/rows.ts";
import { writeEvent } from "../store/tables/audit-and-events.ts";
import { audit } from "./audit.ts";
import type { ResourceMessage } from "./definition.ts";
import type { Engine } from "./engine.ts";
import type { Resource } from "./resource.ts";

/**
 * One change under way: the call that asks for it and the transaction that it happens in. Whatever
 * goes through here leaves its audit row and its event in that transaction.
 */
export class Change {
  readonly call: Call;
  readonly tx: Transaction;
  readonly engine: Engine;
  /** Who is noted as having done it: the caller, or who the caller turned out to be. */
  readonly actor: string;
  /** Whether the limits of groups bind it. */
  readonly isLimited: boolean = true;
  #caller: Caller;

  constructor(call: Call, tx: Transaction, engine: Engine, actor = call.caller.uid) {
    this.call = call;
    this.tx = tx;
    this.engine = engine;
    this.actor = actor;
    this.#caller = call.caller;
  }

  get caller(): Caller {
    return this.#caller;
  }

  /**
   * Makes sure that the caller may still do this, before something that changes access: they may
   * have lost the right since they were admitted, while this waited for its turn.
   */
  async confirmAccess(uid: string): Promise<void> {
    const { version, limit, session, uid: identity } = this.#caller;
    if (version === undefined || (await this.tx.relyOnAccess()) === version) return;
    const granted = await this.engine.grantsOf(identity, this.tx, session);
    if (granted === undefined) throw hasEnded(session);
    const grants = limit === undefined ? granted : granted.within(limit);
    this.#caller = { ...this.#caller, grants };
    const rule = accessOf(this.call.method);
    if (rule?.kind === "scoped") this.mustHold(rule.capabilities, uid);
  }

  /**
   * Refuses unless the caller holds all of this at a place: nobody can give what they do not have.
   *
   * @example change.mustHold(CapabilitySet.of(...role.capabilities), group);
   */
  mustHold(capabilities: CapabilitySet | readonly Capability[], uid: string): void {
    if (this.caller.grants.holds(capabilities, uid)) return;
    const held = this.caller.grants.heldAt(uid);
    const wanted = "toArray" in capabilities ? capabilities.toArray() : capabilities;
    const missing = wanted.filter((capability) => !held.has(capability));
    throw permissionDenied(missing.map(capabilityName), uid);
  }

  /** Stores a new one; the event is that of Create, unless another method is named. */
  async insert<R extends ResourceMessage>(
    resource: Resource<R>,
    created: R,
    method = resource.method("Create"),
  ): Promise<ResourceRow> {
    const row = resource.toRow(created);
    if (!(await resource.table.insert(this.tx, row))) {
      throw alreadyExists(resource.typeName, resource.definition.uniqueNames ? row.name : row.uid);
    }
    if (resource.definition.changesAccess) this.tx.accessChanged();
    await this.note(row.uid);
    await this.emit(method, row.uid, resource.eventBody(row));
    return row;
  }

  /** Stores a change; the event is that of Update, unless another method is named. */
  async update<R extends ResourceMessage>(
    resource: Resource<R>,
    updated: R,
    method = resource.method("Update"),
  ): Promise<ResourceRow> {
    const row = resource.toRow(updated);
    await resource.table.update(this.tx, row);
    if (resource.definition.changesAccess) this.tx.accessChanged();
    await this.note(row.uid);
    await this.emit(method, row.uid, resource.eventBody(row));
    return row;
  }

  async remove<R extends ResourceMessage>(resource: Resource<R>, uid: string): Promise<void> {
    await resource.table.delete(this.tx, uid);
    if (resource.definition.changesAccess) this.tx.accessChanged();
    await this.note(uid);
    const method = resource.method("Delete");
    await this.emit(method, uid, { type: method.input.typeName, json: JSON.stringify({ uid }) });
  }

  /** Writes the line of the audit. */
  protected note(uid: string, detail?: object): Promise<void> {
    const more = detail === undefined ? {} : { detail };
    return audit(this.tx, this.call, { resource: uid, actor: this.actor, ...more });
  }

  /** Writes the event that the contract gives a method, if any; of another group where one is named. */
  async emit(method: DescMethod, uid: string, body: EventBody, group?: string): Promise<void> {
    const event = eventOf(method);
    if (event === undefined) return;
    const told: Told = this.call.retell?.(body) ?? body;
    await writeEvent(this.tx, {
      id: randomUUID(),
      time: this.call.time,
      type: event.type,
      subject: told.subject ?? uid,
      group: group ?? { self: uid, parent: parentOf(uid), root: rootOf(uid) }[event.group],
      actor: this.actor,
      bodyType: told.type,
      body: told.json,
    });
  }
}

/** A change of many at once, whose one event the method writes itself. */
export class BatchChange extends Change {
  override async emit(): Promise<void> {}

  /** Writes the one event. */
  emitForAll(uid: string, body: EventBody): Promise<void> {
    return super.emit(this.call.method, uid, body);
  }
}

/** A change of very many at once, which leaves one line in the audit as well. */
export class BulkChange extends BatchChange {
  protected override async note(): Promise<void> {}

  async insertAll<R extends ResourceMessage>(
    resource: Resource<R>,
    created: readonly R[],
  ): Promise<void> {
    const rows = created.map((one) => resource.toRow(one));
    const clash = await resource.table.insertAll(this.tx, rows);
    if (clash !== undefined) throw alreadyExists(resource.typeName, clash.name);
  }

  /** Writes the one line. */
  noteForAll(uid: string, detail: object): Promise<void> {
    return super.note(uid, detail);
  }
}
