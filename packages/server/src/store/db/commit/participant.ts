import type { AdvancedAccess } from "./advance-access.ts";
import type { BatchWriter } from "./batch-writer.ts";

/** The changes of one kind that a work makes, or all works of a batch. */
export interface Changes {
  /** Adds those of a work that has succeeded, in the order of the works. */
  add(other: Changes): void;
}

/** Identifies a kind of changes. */
export type ChangeKind<C extends Changes> = new () => C;

/** Changes that are new rows. */
export class Rows<R> implements Changes {
  readonly rows: R[] = [];

  push(row: R): void {
    this.rows.push(row);
  }

  add({ rows }: Rows<R>): void {
    for (const row of rows) this.rows.push(row);
  }
}

/**
 * When changes are written, in this order: `access` with a new access version; `rows`, of which those of a single work
 * can fail, so that a careful batch writes them in its savepoint; `sums` last, once for the batch, as every batch locks them.
 */
export type Stage = "access" | "rows" | "sums";

/**
 * A table that takes part in every commit. Works only collect its changes (`Transaction.changes`), which no work reads in
 * its own transaction: a statement for those of a batch costs little more than one for those of a work, and no work waits
 * for it. Participants are registered when the store is opened.
 */
export interface Participant<C extends Changes = Changes> {
  readonly kind: ChangeKind<C>;
  readonly stage: Stage;
  /** Begins its part of a transaction. */
  begin(): Participation<C>;
}

/** The part of a table in one transaction. */
export interface Participation<C extends Changes = Changes> {
  /** Writes the changes of all works of the batch, or of one in its savepoint. Reads are allowed. */
  write(writer: BatchWriter, changes: C, access?: AdvancedAccess): Promise<void>;
  committed?(): void;
  /** The transaction was rolled back, or, if its outcome is unknown, perhaps committed. */
  aborted?(isUnknown: boolean): void;
}

/** Changes by kind: of a work, or of a batch. */
export class CollectedChanges {
  /** Kinds of changes that a participant writes. */
  readonly kinds: ReadonlySet<ChangeKind<Changes>>;
  readonly #changes = new Map<ChangeKind<Changes>, Changes>();

  constructor(kinds: ReadonlySet<ChangeKind<Changes>>) {
    this.kinds = kinds;
  }

  /** Changes of a kind, to which more can be added. */
  of<C extends Changes>(kind: ChangeKind<C>): C {
    const existing = this.#changes.get(kind) as C | undefined;
    if (existing !== undefined) return existing;
    if (!this.kinds.has(kind)) throw new Error(`no participant writes ${kind.name}`);
    const none = new kind();
    this.#changes.set(kind, none);
    return none;
  }

  /** Adds those of a work that has succeeded. */
  add(other: CollectedChanges): void {
    for (const [kind, changes] of other.#changes) this.of(kind).add(changes);
  }

  /** Changes of a kind; undefined if there are none. */
  find(kind: ChangeKind<Changes>): Changes | undefined {
    return this.#changes.get(kind);
  }
}

/** The parts of all participants in one transaction. */
export class Participations {
  readonly #all: readonly (readonly [Participant, Participation])[];

  /** The changes of the batch so far. */
  readonly changes: CollectedChanges;

  constructor(participants: readonly Participant[]) {
    this.changes = new CollectedChanges(new Set(participants.map(({ kind }) => kind)));
    this.#all = participants.map((one) => [one, one.begin()]);
  }

  /** Writes the changes of a stage: those of a work, or of the batch. */
  async write(
    stage: Stage,
    writer: BatchWriter,
    changes: CollectedChanges,
    access?: AdvancedAccess,
  ): Promise<void> {
    const writes = this.#all.map(async ([participant, participation]) => {
      const some = participant.stage === stage ? changes.find(participant.kind) : undefined;
      if (some !== undefined) await participation.write(writer, some, access);
    });
    await Promise.all(writes);
  }

  committed(): void {
    for (const [, participation] of this.#all) participation.committed?.();
  }

  aborted(isUnknown: boolean): void {
    for (const [, participation] of this.#all) participation.aborted?.(isUnknown);
  }
}
