import type { Cores } from "./cores.ts";
import type { HttpJob } from "./load/http.ts";
import type { Load } from "./load/load.ts";
import type { Options } from "./options.ts";
import type { Program } from "./program.ts";
import { Wharf } from "./wharf.ts";

/** What one measurement of each side came to, in turn. */
export interface Measured {
  readonly unit: "per s" | "ms" | "MiB";
  readonly ours: readonly number[];
  readonly reference: readonly number[];
  /** What else there is to say about it. */
  readonly notes: readonly string[];
}

/** More is better where figures are rates; less where they are times or sizes. */
export type Target = { readonly atLeast: number } | { readonly atMost: number };

/** One line of the table. */
export interface Row {
  readonly work: string;
  readonly reference: string;
  readonly target: Target;
  measure(bench: Bench): Promise<Measured>;
}

/** What rows are measured with. */
export interface Bench {
  readonly options: Options;
  readonly cores: Cores;
  /** The load over HTTP/1.1, shared by all rows so that it is warm. */
  readonly http: Program<HttpJob, Load>;
  /** Where profiles go; undefined when nobody asked for any. */
  readonly profiles: string | undefined;
}

/**
 * Starts the server that a row measures, under the profiler when that is wanted.
 *
 * @example await using server = await serve(bench, data);
 */
export function serve(
  { cores, profiles }: Bench,
  data: string,
  flags: readonly string[] = [],
): Promise<Wharf> {
  return Wharf.start({ data, core: cores.serving, profiles, flags });
}

/** Shows a count the way people read it. */
export function counted(count: number): string {
  return count.toLocaleString("en");
}
