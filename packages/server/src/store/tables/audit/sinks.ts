import type { Transaction } from "../../db/commit/transaction.ts";
import type { Reader } from "../../db/connection.ts";

/** Progress of a sink: the ids of the entry and the checkpoint that were sent last. */
export interface SinkProgress {
  readonly entry: number;
  readonly checkpoint: number;
}

/** The lease of the process that sends to a sink. */
export function sinkLease(sink: string): string {
  return `audit sink ${sink}`;
}

/** Reads the progress of a sink. A new sink begins with the oldest entry. */
export async function readSinkProgress(reader: Reader, sink: string): Promise<SinkProgress> {
  const sql = "SELECT entry, checkpoint FROM audit_sinks WHERE sink = ?";
  return (await reader.get<SinkProgress>(sql, sink)) ?? { entry: 0, checkpoint: 0 };
}

/** Stores what was sent. */
export async function storeSinkProgress(
  tx: Transaction,
  sink: string,
  { entry, checkpoint }: SinkProgress,
): Promise<void> {
  await tx.run(
    `INSERT INTO audit_sinks (sink, owner, expires, entry, checkpoint) VALUES (?, '', 0, ?, ?)
     ON CONFLICT (sink) DO UPDATE SET entry = excluded.entry, checkpoint = excluded.checkpoint`,
    ...[sink, entry, checkpoint],
  );
}
