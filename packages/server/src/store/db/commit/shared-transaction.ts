import { CountChanges, readCounts } from "../../resources/counts.ts";
import { GrantChanges } from "../../tables/access/access-log.ts";
import type { AuditEntry } from "../../tables/audit/audit-and-events.ts";
import type { Value, Writer } from "../connection.ts";
import type { BatchWriter } from "./batch-writer.ts";
import { GatheredRows, type GatheredTable } from "./gathered-rows.ts";
import type { HeldRows } from "./held-rows.ts";
import type { InsertTarget } from "./insert-rows.ts";
import type { AtEnd, Transaction } from "./transaction.ts";
import type { UpdateTarget } from "./update-rows.ts";

/** The part of one write in the transaction of its batch. */
export class SharedTransaction implements Transaction {
  readonly counts = new CountChanges();
  readonly grants = new GrantChanges();
  readonly audits: AuditEntry[] = [];
  readonly gathered = new GatheredRows();
  readonly last: AtEnd[] = [];
  readonly dialect: Writer["dialect"];
  readonly held: HeldRows;
  readonly #writer: BatchWriter;
  /** Counts of the finished works in the same transaction. */
  readonly #others: CountChanges;
  changesAccess = false;
  /** Whether it changes other access than grants. */
  changesOtherAccess = false;
  reliedOn: number | undefined;
  /** Whether a failure of the work requires a rollback. */
  mustUndo = false;

  constructor(writer: BatchWriter, others: CountChanges) {
    this.#writer = writer;
    this.#others = others;
    this.dialect = writer.dialect;
    this.held = writer.held;
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
    this.mustUndo = true;
    this.held.forget(sql);
    return this.#writer.run(sql, ...params);
  }

  audit(entry: AuditEntry): void {
    this.audits.push(entry);
  }

  send(sql: string, ...params: Value[]): Promise<void> {
    this.mustUndo = true;
    return this.#writer.send(sql, ...params);
  }

  changeOne(sql: string, ...params: Value[]): Promise<boolean> {
    this.mustUndo = true;
    return this.#writer.changeOne(sql, ...params);
  }

  insert(target: InsertTarget, row: readonly Value[]): Promise<boolean> {
    this.mustUndo = true;
    return this.#writer.insert(target, row);
  }

  update(target: UpdateTarget, row: readonly Value[]): Promise<void> {
    this.mustUndo = true;
    return this.#writer.update(target, row);
  }

  gather<R>(table: GatheredTable<R>, row: R): void {
    this.gathered.push(table, row);
  }

  atEnd(work: AtEnd): void {
    this.last.push(work);
  }

  accessChanged(): void {
    this.changesAccess = true;
    this.changesOtherAccess = true;
  }

  grantsChanged(identity: string, root: string): void {
    this.changesAccess = true;
    this.grants.record(identity, root);
  }

  async relyOnAccess(seen: number | undefined): Promise<number> {
    this.reliedOn = await this.#writer.accessVersion(seen);
    return this.reliedOn;
  }

  async acquireLock(): Promise<void> {
    await this.get(`SELECT version FROM access_version ${this.dialect.lock}`);
  }

  async countBelow(table: string, node: string): Promise<number> {
    const { descendants } = await readCounts(this, table, node);
    return descendants + this.#others.below(table, node) + this.counts.below(table, node);
  }
}
