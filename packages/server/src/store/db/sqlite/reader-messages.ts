/** Messages between the server and its reader processes. */
import type { Statement } from "../connection.ts";

/** The argument of a reader process: the database, and the identities of its files (data-files.ts). */
export interface Task {
  readonly path: string;
  readonly opened: readonly string[];
  /** Whether its connection writes, for checkpoints. */
  readonly writes?: boolean;
}

export type Question = Statement;

export type Answer = Measured | Failed;

/** A result, and the processor time that it took. */
export interface Measured {
  readonly result: unknown;
  readonly cpuMs: number;
}

export interface Failed {
  readonly message: string;
  /** SQLite's result code. */
  readonly errcode?: number | undefined;
  /** The file that was replaced, if that is the reason. */
  readonly replaced?: string | undefined;
}
