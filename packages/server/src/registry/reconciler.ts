import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { Logger } from "pino";
import type { Engine } from "../engine/engine.ts";
import { WharfError } from "../errors.ts";
import type { Metrics } from "../observe/metrics.ts";
import { readPass, releaseLease, takeLease } from "../store/registry-passes.ts";
import { type PassProgress, runPass } from "./reconcile-pass.ts";
import type { RemoteRegistry } from "./remote.ts";

/** Another replica goes on when the one that works has not been heard of for so long. */
const LEASE_MS = 60_000;

/** How often it is looked whether there is something to do. */
const LOOK_MS = 10_000;

/** A registry that is down is asked again after a second, then more and more seldom. */
const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 5 * 60_000;

export interface ReconcilerParts {
  readonly engine: Engine;
  readonly remote: RemoteRegistry;
  /** All attached registries, by host. */
  readonly remotes: ReadonlyMap<string, RemoteRegistry>;
  readonly metrics: Metrics;
  readonly log: Logger;
  /** How long after the end of a pass the next one begins. */
  readonly everyMs: number;
}

/**
 * Looks through a registry, when the server starts and every so often, and repairs what notifications
 * missed. It never holds up anything else: a registry that is down leaves what is known as it is.
 */
export class Reconciler {
  readonly #parts: ReconcilerParts;
  readonly #holder = randomUUID();
  readonly #stopping = new AbortController();
  #running: Promise<void> | undefined;

  constructor(parts: ReconcilerParts) {
    this.#parts = parts;
  }

  /** @example reconciler.start(); */
  start(): void {
    this.#running ??= this.#run();
  }

  /** Stops where it is; the next one goes on from there. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { log, remote } = this.#parts;
    const { signal } = this.#stopping;
    const started = Date.now();
    let wait = FIRST_WAIT_MS;
    while (!signal.aborted) {
      try {
        await this.#turn(started);
        wait = FIRST_WAIT_MS;
        await sleep(LOOK_MS, undefined, { signal });
      } catch (thrown) {
        if (signal.aborted) break;
        const { message, cause } = WharfError.from(thrown);
        const again = Math.round(wait * (0.75 + Math.random() / 2));
        this.#count("wharf_registry_reconcile_passes_total", { outcome: "failed" });
        log.warn({ host: remote.host, why: message, cause, againMs: again }, "registry not read");
        wait = Math.min(wait * 2, LONGEST_WAIT_MS);
        await sleep(again, undefined, { signal }).catch(() => {});
      }
    }
  }

  /** Does what there is to do, unless another replica does it. */
  async #turn(started: number): Promise<void> {
    const { engine, remote, everyMs } = this.#parts;
    const { store } = engine;
    const { began, finished } = await readPass(store.reader, remote.host);
    const isRecent = finished >= started && finished + everyMs > Date.now();
    if ((began === 0 && isRecent) || !(await this.#lease())) return;
    const lost = new AbortController();
    const renewing = setInterval(() => {
      this.#lease().then(
        (kept) => kept || lost.abort(),
        () => lost.abort(),
      );
    }, LEASE_MS / 3);
    try {
      await this.#pass(AbortSignal.any([this.#stopping.signal, lost.signal]));
    } finally {
      clearInterval(renewing);
      await store.write((tx) => releaseLease(tx, remote.host, this.#holder)).catch(() => {});
    }
  }

  #lease(): Promise<boolean> {
    const { engine, remote } = this.#parts;
    const now = Date.now();
    return engine.store.write((tx) =>
      takeLease(tx, remote.host, this.#holder, now, now + LEASE_MS),
    );
  }

  async #pass(signal: AbortSignal): Promise<void> {
    const { engine, remote, remotes, log } = this.#parts;
    const report = (progress: PassProgress) => this.#report(progress);
    const parts = { engine, remote, remotes, signal, log, holder: this.#holder, report };
    const began = performance.now();
    const totals = await runPass(parts);
    const ms = Math.round(performance.now() - began);
    this.#count("wharf_registry_reconcile_passes_total", { outcome: "finished" });
    log.info({ host: remote.host, ms, ...totals }, "registry looked through");
  }

  /** What one step came to, for the metrics. */
  #report(progress: PassProgress): void {
    const { repos, elsewhere, refused, same, created, moved, removed, manifests } = progress;
    const outcomes = { same, created, moved, removed };
    for (const [outcome, count] of Object.entries(outcomes)) {
      this.#count("wharf_registry_reconcile_tags_total", { outcome }, count);
    }
    for (const [outcome, count] of Object.entries({ ours: repos, elsewhere, refused })) {
      this.#count("wharf_registry_reconcile_repos_total", { outcome }, count);
    }
    this.#count("wharf_registry_reconcile_manifests_total", {}, manifests);
  }

  #count(
    name: Parameters<Metrics["count"]>[0],
    labels: Readonly<Record<string, string>>,
    by?: number,
  ): void {
    this.#parts.metrics.count(name, { host: this.#parts.remote.host, ...labels }, by);
  }
}
