import { failureText } from "../store/db/failure.ts";
import type { StoreHealth } from "../store/db/health.ts";
import type { HealthSource } from "../wire/grpc/system/health.ts";

/** Why load balancers should not route requests here. */
export interface NotReady {
  /** For machines: the cause of a failed store, `stopping`, or `worker` for one that hangs. */
  readonly reason: string;
  readonly message: string;
}

const STOPPING: NotReady = { reason: "stopping", message: "the server is stopping" };

/** Whether the server is ready. `/readyz` and gRPC health both answer from it, so they agree. */
export class Readiness implements HealthSource {
  readonly #store: Pick<StoreHealth, "failure" | "onChange">;
  readonly #listeners: (() => void)[] = [];
  #isDraining = false;
  #elsewhere: NotReady | undefined;

  constructor(store: Pick<StoreHealth, "failure" | "onChange">) {
    this.#store = store;
    store.onChange(() => this.#changed());
  }

  /** Why the server is not ready; undefined while it is. */
  get problem(): NotReady | undefined {
    return this.#isDraining ? STOPPING : (this.ownProblem ?? this.#elsewhere);
  }

  /** Readiness problem of this process. */
  get ownProblem(): NotReady | undefined {
    const { failure } = this.#store;
    return failure && { reason: failure.cause, message: failureText(failure) };
  }

  /** Another process of the server has a problem, or none has any more: they answer for each other. */
  setElsewhere(problem: NotReady | undefined): void {
    this.#elsewhere = problem;
    this.#changed();
  }

  serving(): boolean {
    return this.problem === undefined;
  }

  /** The server is going to stop: it is not ready from now on, but still answers. */
  drain(): void {
    this.#isDraining = true;
    this.#changed();
  }

  onChange(listener: () => void): void {
    this.#listeners.push(listener);
  }

  #changed(): void {
    for (const listener of this.#listeners) listener();
  }
}
