import { parseArgs } from "node:util";

/** How much work a run does. */
export interface Options {
  readonly quick: boolean;
  /** Rows whose name holds this text. */
  readonly only: string;
  /** Run the server of the chosen row under the profiler and show where its time goes. */
  readonly profile: boolean;
  readonly sizes: { readonly small: number; readonly medium: number; readonly large: number };
  /** How long one measurement lasts. */
  readonly seconds: number;
  /**
   * What comes before the first measurement: so many answers, for V8 goes on compiling better code
   * for tens of thousands of requests, but no longer than so many seconds.
   */
  readonly warmUpAnswers: number;
  readonly warmUpSeconds: number;
  /** Measurements of each side. */
  readonly rounds: number;
  readonly starts: number;
}

const FULL = {
  sizes: { small: 1_000, medium: 100_000, large: 1_000_000 },
  seconds: 3,
  warmUpAnswers: 40_000,
  warmUpSeconds: 8,
  rounds: 5,
  starts: 10,
};

/** Tells whether everything works, in a minute; its figures are not worth quoting. */
const QUICK = {
  sizes: { small: 1_000, medium: 10_000, large: 50_000 },
  seconds: 0.5,
  warmUpAnswers: 2_000,
  warmUpSeconds: 1,
  rounds: 3,
  starts: 3,
};

export const USAGE = `npm run bench -- [options]
  --quick          smaller data sets and shorter measurements
  --only TEXT      only rows whose name holds TEXT
  --profile TEXT   as --only, with the server under the profiler`;

/**
 * @example const options = readOptions(["--quick", "--only", "list"]);
 */
export function readOptions(args: readonly string[]): Options {
  const { values } = parseArgs({
    args: [...args],
    options: {
      quick: { type: "boolean", default: false },
      only: { type: "string" },
      profile: { type: "string" },
    },
  });
  const { quick, only, profile } = values;
  return {
    quick,
    only: profile ?? only ?? "",
    profile: profile !== undefined,
    ...(quick ? QUICK : FULL),
  };
}
