import type { Cores } from "./cores.ts";
import type { HttpJob } from "./load/http.ts";
import type { Load } from "./load/load.ts";
import type { Options } from "./options.ts";
import type { Program } from "./program.ts";
import { Wharf } from "./wharf.ts";

/** The figures of both sides, in the order of measurements. */
export interface Measured {
  readonly unit: "per s" | "ms" | "MiB";
  readonly ours: readonly number[];
  readonly reference: readonly number[];
  /** Remarks for the report. */
  readonly notes: readonly string[];
}

/** Whether more is better, as for rates, or less, as for times and sizes. */
export type Target = { readonly atLeast: number } | { readonly atMost: number };

/** One line of the table. */
export interface Row {
  readonly work: string;
  readonly reference: string;
  /** Rows without a target only inform. */
  readonly target?: Target;
  measure(bench: Bench): Promise<Measured>;
}

/** Rows about the same question. */
export interface Section {
  readonly title: string;
  /** The subject of the rows, and why it matters. */
  readonly about: string;
  readonly rows: readonly Row[];
}

/** Thrown by a row that cannot be measured on this machine, with the reason. */
export class NotMeasured extends Error {}

/** The environment of rows. */
export interface Bench {
  readonly options: Options;
  readonly cores: Cores;
  /** The HTTP/1.1 load generator, shared by all rows so that it is warm. */
  readonly http: Program<HttpJob, Load>;
  /** The directory of profiles; undefined without --profile. */
  readonly profiles: string | undefined;
}

/** Starts the server of a row, under the profiler with --profile. */
export function serve(
  { cores, profiles }: Bench,
  data: string,
  flags: readonly string[] = [],
): Promise<Wharf> {
  return Wharf.start({ data, core: cores.serving, profiles, flags });
}

/** Formats a count with thousands separators. */
export function counted(count: number): string {
  return count.toLocaleString("en");
}
