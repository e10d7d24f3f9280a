import type { WriteDeps } from "../../engine/write/mutation.ts";
import { BoundedCache } from "../../lib/bounded-cache.ts";
import type { Logger } from "../../observe/logger.ts";
import type { Metrics } from "../../observe/metrics.ts";
import type { RegistryContents, RemoteRegistry } from "../client/remote.ts";
import { PassLoop } from "../pass-loop.ts";
import { MAX_CACHED_ARCHITECTURES } from "./fetch-manifest-tree.ts";
import { type PassProgress, runPass } from "./reconcile-pass.ts";

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
  readonly #loop: PassLoop;

  constructor(deps: ReconcilerDeps) {
    this.#deps = deps;
    const { store, remote, intervalMs, log } = deps;
    const { host } = remote;
    this.#loop = new PassLoop({
      ...{ store, name: host, intervalMs, atStart: true },
      run: (holder, signal) => this.#runPass(holder, signal),
      failed: (failed) => {
        this.#count("wharf_registry_reconcile_passes_total", { outcome: "failed" });
        log.warn({ host, ...failed }, "reconcile pass failed");
      },
    });
  }

  start(): void {
    this.#loop.start();
  }

  /** Looks for a requested pass immediately. */
  wake(): void {
    this.#loop.wake();
  }

  /** Stops after the current batch; the next pass continues from its checkpoint. */
  stop(): Promise<void> {
    return this.#loop.stop();
  }

  async #runPass(holder: string, signal: AbortSignal): Promise<void> {
    const { remote, log } = this.#deps;
    const report = (progress: PassProgress) => this.#report(progress);
    const architectures = new BoundedCache<string, string>({
      maxEntries: MAX_CACHED_ARCHITECTURES,
    });
    const began = performance.now();
    const totals = await runPass({
      ...this.#deps,
      ...{ signal, architectures, report, holder },
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
