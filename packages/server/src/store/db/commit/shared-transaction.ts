import type { Value, Writer } from "../connection.ts";
import type { BatchWriter } from "./batch-writer.ts";
import type { InsertTarget } from "./insert-rows.ts";
import type { LockedRows } from "./locked-rows.ts";
import { type ChangeKind, type Changes, CollectedChanges } from "./participant.ts";
import type { AtEnd, Transaction } from "./transaction.ts";
import type { UpdateTarget } from "./update-rows.ts";

/** The part of one write in the transaction of its batch. */
export class SharedTransaction implements Transaction {
  readonly collected: CollectedChanges;
  readonly last: AtEnd[] = [];
  readonly dialect: Writer["dialect"];
  readonly locked: LockedRows;
  readonly #writer: BatchWriter;
  /** The changes of the finished works in the same transaction. */
  readonly #earlier: CollectedChanges;
  changesAccess = false;
  /** Whether it changes other access than grants. */
  changesOtherAccess = false;
  reliedOn: number | undefined;
  /** Whether a failure of the work requires a rollback. */
  needsRollback = false;

  constructor(writer: BatchWriter, earlier: CollectedChanges) {
    this.#writer = writer;
    this.#earlier = earlier;
    this.collected = new CollectedChanges(earlier.kinds);
    this.dialect = writer.dialect;
    this.locked = writer.locked;
  }

  get<R extends object>(sql: string, ...params: Value[]): Promise<R | undefined> {
    return this.#writer.get<R>(sql, ...params);
  }

  all<R extends object>(sql: string, ...params: Value[]): Promise<R[]> {
    return this.#writer.all<R>(sql, ...params);
  }

  arrays<R extends readonly Value[]>(sql: string, ...params: Value[]): Promise<R[]> {
    return this.#writer.arrays<R>(sql, ...params);
  }

  run(sql: string, ...params: Value[]): Promise<number> {
    this.needsRollback = true;
    this.locked.forget(sql);
    return this.#writer.run(sql, ...params);
  }

  changes<C extends Changes>(kind: ChangeKind<C>): C {
    return this.collected.of(kind);
  }

  earlierChanges<C extends Changes>(kind: ChangeKind<C>): C {
    return this.#earlier.of(kind);
  }

  send(sql: string, ...params: Value[]): Promise<void> {
    this.needsRollback = true;
    return this.#writer.send(sql, ...params);
  }

  changeOne(sql: string, ...params: Value[]): Promise<boolean> {
    this.needsRollback = true;
    return this.#writer.changeOne(sql, ...params);
  }

  insert(target: InsertTarget, row: readonly Value[]): Promise<boolean> {
    this.needsRollback = true;
    return this.#writer.insert(target, row);
  }

  update(target: UpdateTarget, row: readonly Value[]): Promise<void> {
    this.needsRollback = true;
    return this.#writer.update(target, row);
  }

  atEnd(work: AtEnd): void {
    this.last.push(work);
  }

  accessChanged(by?: "grants"): void {
    this.changesAccess = true;
    if (by === undefined) this.changesOtherAccess = true;
  }

  async relyOnAccess(seen: number | undefined): Promise<number> {
    this.reliedOn = await this.#writer.accessVersion(seen);
    return this.reliedOn;
  }

  async acquireLock(): Promise<void> {
    await this.get(`SELECT version FROM access_version ${this.dialect.lock}`);
  }
}
