import { setServerFlags } from "@wharf/server/lib/runtime/v8-flags.ts";
import { runReportingErrors } from "../report.ts";
import { runServe, runServeWorker, WORKER } from "./run.ts";

/** The entry point of the server bundle: `wharf serve` without the other commands. */
export function run(words: readonly string[]): Promise<void> {
  setServerFlags();
  return runReportingErrors(words, () =>
    words[0] === WORKER ? runServeWorker() : runServe(words.slice(1)),
  );
}
