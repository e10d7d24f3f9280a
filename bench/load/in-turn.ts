import type { Program } from "../program.ts";
import type { HttpJob, Target } from "./http.ts";
import type { Load } from "./load.ts";

/**
 * A load that continues where the measurement before it ended: a request is repeated only after all others were sent, so
 * that what a server remembers of single responses does not count.
 */
export function inTurn(
  http: Program<HttpJob, Load>,
  job: Omit<HttpJob, "seconds">,
): (seconds: number) => Promise<Load> {
  let targets: readonly Target[] = job.targets;
  return async (seconds) => {
    const load = await http.ask({ ...job, targets, seconds });
    const at = load.answers % targets.length;
    targets = [...targets.slice(at), ...targets.slice(0, at)];
    return load;
  };
}
