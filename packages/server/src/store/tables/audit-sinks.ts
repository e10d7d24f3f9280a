import type { Reader } from "../db/connection.ts";
import type { Transaction } from "../db/group-commit.ts";

/** What was sent to a sink last: the id of an entry, and that of a checkpoint. */
export interface SinkProgress {
  readonly entry: number;
  readonly checkpoint: number;
}

interface Row {
  readonly owner: string;
  readonly expires: number;
  readonly entry: number;
  readonly checkpoint: number;
}

/**
 * Makes a worker the only one that sends to a sink until a time. Undefined if another one is. A new sink begins with the
 * oldest entry.
 */
export async function acquireSink(
  tx: Transaction,
  sink: string,
  owner: string,
  now: number,
  expires: number,
): Promise<SinkProgress | undefined> {
  await tx.run(
    `INSERT INTO audit_sinks (sink, owner, expires, entry, checkpoint) VALUES (?, '', 0, 0, 0)
     ON CONFLICT (sink) DO NOTHING`,
    sink,
  );
  const sql = `SELECT owner, expires, entry, checkpoint FROM audit_sinks WHERE sink = ? ${tx.dialect.lock}`;
  const row = await tx.get<Row>(sql, sink);
  if (row === undefined || (row.owner !== owner && row.expires > now)) return undefined;
  const { entry, checkpoint } = row;
  await tx.run(
    "UPDATE audit_sinks SET owner = ?, expires = ? WHERE sink = ?",
    owner,
    expires,
    sink,
  );
  return { entry, checkpoint };
}

/** What was sent to a sink last. */
export async function readSinkProgress(reader: Reader, sink: string): Promise<SinkProgress> {
  const sql = "SELECT entry, checkpoint FROM audit_sinks WHERE sink = ?";
  return (await reader.get<SinkProgress>(sql, sink)) ?? { entry: 0, checkpoint: 0 };
}

/** Stores what was sent, unless another worker has continued meanwhile. */
export async function storeSinkProgress(
  tx: Transaction,
  sink: string,
  owner: string,
  { entry, checkpoint }: SinkProgress,
): Promise<void> {
  await tx.run(
    "UPDATE audit_sinks SET entry = ?, checkpoint = ? WHERE sink = ? AND owner = ?",
    ...[entry, checkpoint, sink, owner],
  );
}
