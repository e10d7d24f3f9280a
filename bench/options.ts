import { parseArgs } from "node:util";

/** The options of a run. */
export interface Options {
  readonly quick: boolean;
  /** Runs only rows with this text in their name. */
  readonly only: string;
  /** Runs the server under the profiler and prints the hottest functions. */
  readonly profile: boolean;
  /** Prints the names of the rows instead of measuring them. */
  readonly list: boolean;
  /** Keeps the rows that an interrupted run of the same commit has measured, and measures the others. */
  readonly resume: boolean;
  /** Also measures programs that are downloaded on first use. */
  readonly peers: boolean;
  readonly sizes: { readonly small: number; readonly medium: number; readonly large: number };
  /** The duration of one measurement. */
  readonly seconds: number;
  /**
   * The warm-up before the first measurement: V8 optimizes for tens of thousands of requests. Ends with this
   * many responses or seconds, whichever comes first.
   */
  readonly warmUpAnswers: number;
  readonly warmUpSeconds: number;
  /** Measurements of each side. */
  readonly rounds: number;
  readonly starts: number;
}

const FULL = {
  sizes: { small: 1_000, medium: 100_000, large: 1_000_000 },
  seconds: 2,
  warmUpAnswers: 40_000,
  warmUpSeconds: 8,
  rounds: 5,
  starts: 10,
};

/** Shows in three minutes whether everything works; its figures are not meaningful. */
const QUICK = {
  // Medium and large rows share their data sets, most of which are created for this run alone.
  sizes: { small: 1_000, medium: 5_000, large: 5_000 },
  seconds: 0.2,
  warmUpAnswers: 500,
  warmUpSeconds: 0.15,
  rounds: 1,
  starts: 1,
};

export const USAGE = `npm run bench -- [options]
  --quick          smaller data sets and shorter measurements
  --peers          also programs that are downloaded on first use (Directus 700 MB, PocketBase 60 MB)
  --only TEXT      only rows with TEXT in their name
  --profile TEXT   as --only, with the server under the profiler
  --resume         measure what an interrupted run of the same commit and options has not
  --list           print the names of the rows`;

export function readOptions(args: readonly string[]): Options {
  const { values } = parseArgs({
    args: [...args],
    options: {
      quick: { type: "boolean", default: false },
      resume: { type: "boolean", default: false },
      list: { type: "boolean", default: false },
      peers: { type: "boolean", default: false },
      only: { type: "string" },
      profile: { type: "string" },
    },
  });
  const { quick, resume, list, peers, only, profile } = values;
  return {
    quick,
    only: profile ?? only ?? "",
    profile: profile !== undefined,
    resume,
    list,
    peers,
    ...(quick ? QUICK : FULL),
  };
}
