import { setFlagsFromString } from "node:v8";
import { runReportingErrors } from "../report.ts";
import { runServe, runServeWorker, WORKER } from "./run.ts";
import { V8_FLAGS } from "./v8-flags.ts";

/** The entry point of the server bundle: `wharf serve` without the other commands. */
export function run(words: readonly string[]): Promise<void> {
  setFlagsFromString(V8_FLAGS.set);
  return runReportingErrors(words, () =>
    words[0] === WORKER ? runServeWorker() : runServe(words.slice(1)),
  );
}
