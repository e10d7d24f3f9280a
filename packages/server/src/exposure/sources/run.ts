import type { VulnerabilitySource } from "@wharf/contract";
import type { Store } from "../../store/db/store.ts";
import type { SourceFetcher } from "./fetcher.ts";
import type { RecordImporter } from "./importer.ts";
import type { SourceTally } from "./result.ts";

/** One import of a source. */
export interface SourceRun {
  readonly source: VulnerabilitySource;
  readonly store: Store;
  readonly fetcher: SourceFetcher;
  readonly importer: RecordImporter;
  readonly tally: SourceTally;
  /** Aborted when this process stops, or does not have the lease of the source any more. */
  readonly signal: AbortSignal;
  /** The progress of earlier imports: the JSON that was saved last. */
  readonly position: unknown;
  /** Saves the progress of the import. A process that is killed goes on there. */
  save(position: unknown): Promise<void>;
}

/** The result of an import beside its counts. */
export interface SourceProgress {
  /** Whether nothing has changed since the last import. */
  readonly isUnchanged: boolean;
  /** The time of the data in milliseconds, as the source states it; undefined if it does not. */
  readonly dataTime?: number | undefined;
}

export const UNCHANGED: SourceProgress = { isUnchanged: true };

/** The time of a header or a field; undefined if it is not one. */
export function timeOf(text: unknown): number | undefined {
  const ms = typeof text === "string" ? Date.parse(text) : Number.NaN;
  return Number.isNaN(ms) ? undefined : ms;
}
