import { existsSync, mkdirSync, rmdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { NotMeasured } from "./row.ts";

const ROOT = "/sys/fs/cgroup";

/** The period of a quota, in microseconds: so short that a request is not held up for long. */
const PERIOD = 5_000;

/** Where a control group is made, and how its quota is written, in versions 1 and 2. */
const VERSIONS = [
  {
    folder: join(ROOT, "cpu"),
    limits: (quota: number) => ({ "cpu.cfs_period_us": PERIOD, "cpu.cfs_quota_us": quota }),
  },
  { folder: ROOT, limits: (quota: number) => ({ "cpu.max": `${quota} ${PERIOD}` }) },
];

/**
 * Processes that have a part of a core each and no more, as if each ran on a slow machine of its own: their load and
 * their database find free cores, also where there are fewer cores than processes.
 */
export class CpuShares implements Disposable {
  readonly share: number;
  readonly #groups: string[] = [];

  constructor(share: number) {
    this.share = share;
  }

  /** Gives a process its share. Throws NotMeasured where that takes rights that this program does not have. */
  give(pid: number): void {
    const version = VERSIONS.find(({ folder }) => existsSync(join(folder, "cgroup.procs")));
    if (version === undefined) throw new NotMeasured("there are no control groups");
    const folder = join(version.folder, `wharf-bench-${pid}`);
    try {
      mkdirSync(folder);
      this.#groups.push(folder);
      for (const [file, limit] of Object.entries(version.limits(this.share * PERIOD))) {
        writeFileSync(join(folder, file), String(limit));
      }
      writeFileSync(join(folder, "cgroup.procs"), String(pid));
    } catch (error) {
      throw new NotMeasured(`control groups of CPU time cannot be made: ${error}`);
    }
  }

  /** Removes the groups; their processes have ended. */
  [Symbol.dispose](): void {
    for (const folder of this.#groups) rmdirSync(folder);
  }
}
