/** Worker processes of the benchmark, which do one job at a time. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { end, watch } from "./children.ts";
import { nodeOn } from "./cores.ts";

type Outcome<Result> = { readonly result: Result } | { readonly error: string };

/** A worker process, as the benchmark sees it. */
export class Program<Job extends object, Result> implements AsyncDisposable {
  readonly #child: ChildProcess;
  readonly #ended: Promise<never>;

  constructor(file: string, core: number | undefined) {
    const [command, args] = nodeOn(core, [join(import.meta.dirname, file)]);
    this.#child = spawn(command, args, {
      stdio: ["ignore", "inherit", "inherit", "ipc"],
      serialization: "advanced",
    });
    this.#ended = watch(this.#child, () => `${file} ended before its job`);
  }

  get pid(): number {
    return this.#child.pid as number;
  }

  /** Sends a job and waits for its result. */
  async ask(job: Job): Promise<Result> {
    const replied = once(this.#child, "message") as Promise<[Outcome<Result>]>;
    this.#child.send(job);
    const [outcome] = await Promise.race([replied, this.#ended]);
    if ("error" in outcome) throw new Error(outcome.error);
    return outcome.result;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await end(this.#child, "SIGKILL");
  }
}

/** Runs in the worker process: does each job that is sent. */
export function doJobs<Job, Result>(work: (job: Job) => Promise<Result>): void {
  process.on("message", (job) => {
    work(job as Job).then(
      (result) => process.send?.({ result }),
      (error: Error) => process.send?.({ error: error.stack ?? String(error) }),
    );
  });
  process.on("disconnect", () => process.exit());
}
