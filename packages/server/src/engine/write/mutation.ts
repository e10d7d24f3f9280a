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
import { revokedToken } from "../../auth/authenticator.ts";
import type { Caller } from "../../auth/caller.ts";
import { alreadyExists, permissionDenied } from "../../lib/errors.ts";
import { newEventId } from "../../lib/event-id.ts";
import type { Call, EventBody, TranslatedEvent } from "../../rpc/call.ts";
import type { Transaction } from "../../store/db/commit/transaction.ts";
import type { ResourceRow } from "../../store/resources/rows.ts";
import { writeAudit, writeEvent } from "../../store/tables/audit/audit-and-events.ts";
import { type AuditResult, audit, auditEntry, deletionOf } from "../audit/audit.ts";
import type { ResourceAccess } from "../catalog.ts";
import type { ResourceMessage } from "../definition.ts";
import type { ResourceHooks } from "../hooks.ts";
import type { Resource } from "../resource.ts";

/** Dependencies of methods that write. */
export interface WriteDeps extends ResourceAccess {
  readonly hooks: ResourceHooks;
}

export interface MutationOptions {
  /** The identity that audit log and events name; by default the caller. */
  readonly actor?: string;
  /** Its name in the audit log, if it is not the caller. */
  readonly actorName?: string;
  /** Caller whose grants are checked; by default that of the call. */
  readonly caller?: Caller;
  /** Whether quotas of groups apply; they do by default. */
  readonly enforcesQuotas?: boolean;
  /** `each`, the default, writes an event per resource; `held` waits for `emitInstead`. */
  readonly events?: "each" | "held";
  /** `each`, the default, writes an audit entry per resource; `once` leaves it to `auditOnce`. */
  readonly audit?: "each" | "once";
  /**
   * Whether hooks get the output-only fields of the input and decide about them: version 1 lets callers set some.
   * By default, these are ignored.
   */
  readonly keepsOutputOnly?: boolean;
}

type EmittedEvent = [method: DescMethod, uid: string, body: EventBody, group?: string];

/**
 * A write in progress: the call that asks for it and the transaction that it runs in. Every resource
 * that is written here leaves its audit entry and its event in the same transaction.
 */
export class Mutation {
  readonly call: Call;
  readonly tx: Transaction;
  readonly deps: WriteDeps;
  readonly actor: string;
  readonly enforcesQuotas: boolean;
  readonly keepsOutputOnly: boolean;
  readonly #options: MutationOptions;
  readonly #deferred: EmittedEvent[] = [];
  #caller: Caller;

  constructor(call: Call, tx: Transaction, deps: WriteDeps, options: MutationOptions = {}) {
    this.call = call;
    this.tx = tx;
    this.deps = deps;
    this.actor = options.actor ?? call.caller.uid;
    this.enforcesQuotas = (options.enforcesQuotas ?? true) && !call.idempotency?.isRehearsal;
    this.keepsOutputOnly = options.keepsOutputOnly ?? false;
    this.#options = options;
    this.#caller = options.caller ?? call.caller;
  }

  get caller(): Caller {
    return this.#caller;
  }

  /** The name of the actor at this time, if it is known. */
  get actorName(): string {
    return this.#options.actorName ?? this.call.caller.name ?? "";
  }

  /**
   * Checks again that the caller may do this, before something that changes access: the caller may
   * have lost the right since admission, while the transaction waited for its lock.
   */
  async confirmAccess(uid: string): Promise<void> {
    const { version, boundary, session, uid: identity } = this.#caller;
    if (version === undefined || (await this.tx.relyOnAccess(version)) === version) return;
    const granted = await this.deps.access.grantsOf(identity, this.tx, session);
    if (granted === undefined) throw revokedToken(session);
    const grants = boundary === undefined ? granted : granted.intersect(boundary);
    this.#caller = { ...this.#caller, grants };
    const rule = accessOf(this.call.method);
    if (rule?.kind === "scoped") this.mustHold(rule.capabilities, uid);
  }

  /** Rejects unless the caller holds all capabilities at a scope: nobody grants what they lack. */
  mustHold(capabilities: CapabilitySet | readonly Capability[], uid: string): void {
    if (this.caller.grants.holds(capabilities, uid)) return;
    const callerCapabilities = this.caller.grants.heldAt(uid);
    const required = "toArray" in capabilities ? capabilities.toArray() : capabilities;
    const missing = required.filter((capability) => !callerCapabilities.has(capability));
    throw permissionDenied(missing.map(capabilityName), uid);
  }

  /** Stores a new resource; the event is that of Create, unless another method is named. */
  async insert<R extends ResourceMessage>(
    resource: Resource<R>,
    created: R,
    method = resource.method("Create"),
  ): Promise<ResourceRow> {
    const row = resource.toRow(created);
    if (!(await resource.table.insert(this.tx, row))) {
      throw alreadyExists(
        resource.typeName,
        resource.definition.tree?.uniqueNames ? row.name : row.uid,
      );
    }
    this.#written(resource, method, row);
    return row;
  }

  /**
   * Stores an update; the event is that of Update, unless another method is named. The audit log has the fields that
   * changed, with their values.
   */
  async update<R extends ResourceMessage>(
    resource: Resource<R>,
    updated: R,
    method = resource.method("Update"),
    changed?: Pick<AuditResult, "changedFields" | "detail">,
  ): Promise<ResourceRow> {
    const row = resource.toRow(updated);
    await resource.table.update(this.tx, row);
    this.#written(resource, method, row, changed);
    return row;
  }

  #written<R extends ResourceMessage>(
    resource: Resource<R>,
    method: DescMethod,
    row: ResourceRow,
    changed?: Pick<AuditResult, "changedFields" | "detail">,
  ): void {
    this.#recordAccess(resource);
    const { uid, name } = row;
    this.#audit({ resource: uid, name, type: resource.typeName, ...changed });
    this.emit(method, row.uid, resource.eventBody(row));
  }

  /** The tables of resources that decide grants have recorded whose grants have changed. */
  #recordAccess<R extends ResourceMessage>({ definition }: Resource<R>): void {
    const { changesAccess = false, grantsOf } = definition;
    if (changesAccess && grantsOf === undefined) this.tx.accessChanged();
  }

  /** Deletes a resource. The audit log has what was deleted, read here unless it is given. */
  async remove<R extends ResourceMessage>(
    resource: Resource<R>,
    uid: string,
    stored?: R,
  ): Promise<void> {
    const deleted = stored ?? (await this.#stored(resource, uid));
    await resource.table.delete(this.tx, uid);
    this.#recordAccess(resource);
    this.#audit({ resource: uid, type: resource.typeName, ...deletionOf(resource, deleted) });
    const method = resource.method("Delete");
    this.emit(method, uid, { type: method.input.typeName, json: JSON.stringify({ uid }) });
  }

  /** Stores many new resources without events and audit entries, which the caller writes for all. */
  async insertAll<R extends ResourceMessage>(
    resource: Resource<R>,
    created: readonly R[],
  ): Promise<void> {
    const rows = created.map((one) => resource.toRow(one));
    const clash = await resource.table.insertAll(this.tx, rows);
    if (clash !== undefined) throw alreadyExists(resource.typeName, clash.name);
  }

  /** Emits the event that the contract defines for a method, if any; in another group if one is given. */
  emit(...event: EmittedEvent): void {
    if (this.#options.events === "held") this.#deferred.push(event);
    else this.#writeEvent(...event);
  }

  /** Emits one event in place of the deferred ones, and after it the remaining ones. */
  emitInstead(
    method: DescMethod,
    uid: string,
    body: EventBody,
    isKept: (uid: string) => boolean = () => false,
  ): void {
    this.#writeEvent(method, uid, body);
    for (const event of this.#deferred.splice(0)) {
      if (isKept(event[1])) this.#writeEvent(...event);
    }
  }

  #writeEvent(...[method, uid, body, group]: EmittedEvent): void {
    const event = eventOf(method);
    if (event === undefined) return;
    const translated: TranslatedEvent = this.call.translateEvent?.(body) ?? body;
    writeEvent(this.tx, {
      id: newEventId(this.call.time),
      time: this.call.time,
      type: event.type,
      subject: translated.subject ?? uid,
      group: group ?? { self: uid, parent: parentOf(uid), root: rootOf(uid) }[event.group],
      actor: this.actor,
      act: this.actor === this.call.caller.uid ? this.call.act?.() : undefined,
      bodyType: translated.type,
      body: translated.json,
    });
  }

  async #stored<R extends ResourceMessage>(
    resource: Resource<R>,
    uid: string,
  ): Promise<R | undefined> {
    if (this.#options.audit === "once") return undefined;
    const row = await resource.table.findForChange(this.tx, uid);
    return row && resource.fromRow(row);
  }

  #audit(outcome: AuditResult): void {
    if (this.#options.audit === "once") return;
    const { actorName } = this.#options;
    writeAudit(this.tx, auditEntry(this.call, { ...outcome, actor: this.actor, actorName }));
  }

  /** Writes the one audit entry of a mutation with `audit: "once"`. */
  auditOnce(uid: string, detail: object): Promise<void> {
    const { actorName } = this.#options;
    return audit(this.tx, this.call, { resource: uid, actor: this.actor, actorName, detail });
  }
}
