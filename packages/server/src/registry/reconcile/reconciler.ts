import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { WriteDeps } from "../../engine/write/mutation.ts";
import { BoundedCache } from "../../lib/bounded-cache.ts";
import { WharfError } from "../../lib/errors.ts";
import type { Logger } from "../../observe/logger.ts";
import type { Metrics } from "../../observe/metrics.ts";
import {
  readPass,
  recordPassProblem,
  releaseLease,
  takeLease,
} from "../../store/tables/registry/passes.ts";
import type { RegistryContents, RemoteRegistry } from "../client/remote.ts";
import { MAX_CACHED_ARCHITECTURES } from "./fetch-manifest-tree.ts";
import { type PassProgress, runPass } from "./reconcile-pass.ts";

/** Another replica continues a pass whose lease was not renewed for this long. */
const LEASE_MS = 60_000;

/** Polling interval of the store for a due or requested pass. */
const POLL_INTERVAL_MS = 10_000;

/** Exponential backoff after a failed pass. */
const MIN_BACKOFF_MS = 1_000;
const MAX_BACKOFF_MS = 5 * 60_000;

export interface ReconcilerDeps extends WriteDeps {
  readonly remote: RemoteRegistry;
  /** All attached registries, by host. */
  readonly remotes: ReadonlyMap<string, RegistryContents>;
  readonly metrics: Metrics;
  readonly log: Logger;
  /** Time from the end of a pass to the begin of the next; 0 for passes on request only. */
  readonly intervalMs: number;
}

/**
 * Reconciles one registry in the background: at start, at an interval and on request. This repairs what
 * notifications missed. While the registry is unavailable, the stored state stays as it is.
 */
export class Reconciler {
  readonly #deps: ReconcilerDeps;
  readonly #holder = randomUUID();
  readonly #stopping = new AbortController();
  #sleeping = new AbortController();
  #running: Promise<void> | undefined;

  constructor(deps: ReconcilerDeps) {
    this.#deps = deps;
  }

  start(): void {
    this.#running ??= this.#run();
  }

  /** Polls immediately instead of at the next interval. */
  wake(): void {
    this.#sleeping.abort();
  }

  /** Stops after the current batch; the next pass continues from its checkpoint. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    this.wake();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { log, remote } = this.#deps;
    const { signal } = this.#stopping;
    const started = Date.now();
    let backoff = MIN_BACKOFF_MS;
    while (!signal.aborted) {
      try {
        const isIdle = await this.#runIfDue(started);
        backoff = MIN_BACKOFF_MS;
        if (isIdle) await this.#sleep(POLL_INTERVAL_MS);
      } catch (thrown) {
        if (signal.aborted) break;
        const { message, cause } = WharfError.from(thrown);
        const retryInMs = Math.round(backoff * (0.75 + Math.random() / 2));
        this.#count("wharf_registry_reconcile_passes_total", { outcome: "failed" });
        const { host } = remote;
        log.warn({ host, reason: message, cause, retryInMs }, "reconcile pass failed");
        backoff = Math.min(backoff * 2, MAX_BACKOFF_MS);
        const { store } = this.#deps;
        await store.write((tx) => recordPassProblem(tx, host, message)).catch(() => {});
        await this.#sleep(retryInMs);
      }
    }
  }

  /** Sleeps until woken; returns at once if `wake` was called since the last sleep. */
  async #sleep(ms: number): Promise<void> {
    await sleep(ms, undefined, { signal: this.#sleeping.signal }).catch(() => {});
    if (this.#sleeping.signal.aborted) this.#sleeping = new AbortController();
  }

  /** Runs a pass if one is due and no other replica has the lease. Returns whether there was none. */
  async #runIfDue(started: number): Promise<boolean> {
    const { remote, intervalMs } = this.#deps;
    const { store } = this.#deps;
    const { began, finished, requested } = await readPass(store.reader, remote.host);
    // A pass that finished in the future, by a clock that was set back since, is not recent.
    const isRecent = finished >= started && Math.abs(Date.now() - finished) < intervalMs;
    const isDue = requested > 0 || (intervalMs > 0 && (began > 0 || !isRecent));
    if (!isDue || !(await this.#acquireLease())) return true;
    const lost = new AbortController();
    const renewal = setInterval(() => {
      this.#acquireLease().then(
        (acquired) => acquired || lost.abort(),
        () => lost.abort(),
      );
    }, LEASE_MS / 3);
    try {
      await this.#runPass(AbortSignal.any([this.#stopping.signal, lost.signal]));
    } catch (thrown) {
      // Another replica continues the pass: this is no failure of the registry.
      const hasLostLease = thrown instanceof WharfError && thrown.code === "ABORTED";
      if (!lost.signal.aborted && !hasLostLease) throw thrown;
      return true;
    } finally {
      clearInterval(renewal);
      await store.write((tx) => releaseLease(tx, remote.host, this.#holder)).catch(() => {});
    }
    return false;
  }

  /** Acquires the lease or renews it. */
  #acquireLease(): Promise<boolean> {
    const { store, remote } = this.#deps;
    return store.write((tx) => takeLease(tx, remote.host, this.#holder, LEASE_MS));
  }

  async #runPass(signal: AbortSignal): Promise<void> {
    const { remote, log } = this.#deps;
    const report = (progress: PassProgress) => this.#report(progress);
    const architectures = new BoundedCache<string, string>({
      maxEntries: MAX_CACHED_ARCHITECTURES,
    });
    const began = performance.now();
    const totals = await runPass({
      ...this.#deps,
      ...{ signal, architectures, report, holder: this.#holder },
    });
    const ms = Math.round(performance.now() - began);
    this.#count("wharf_registry_reconcile_passes_total", { outcome: "finished" });
    log.info({ host: remote.host, ms, ...totals }, "reconcile pass finished");
  }

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
    this.#deps.metrics.count(name, { host: this.#deps.remote.host, ...labels }, by);
  }
}
