import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { Engine } from "../../engine/engine.ts";
import { BoundedCache } from "../../lib/bounded-cache.ts";
import { WharfError } from "../../lib/errors.ts";
import type { Logger } from "../../observe/logger.ts";
import type { Metrics } from "../../observe/metrics.ts";
import {
  readPass,
  recordPassProblem,
  releaseLease,
  takeLease,
} from "../../store/tables/registry-passes.ts";
import type { RemoteRegistry } from "../client/remote.ts";
import { MAX_CACHED_ARCHITECTURES } from "./fetch-manifest-tree.ts";
import { type PassProgress, runPass } from "./reconcile-pass.ts";

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
  /** How long after the end of a pass the next one begins; 0 for only when it is asked for. */
  readonly everyMs: number;
}

/**
 * Looks through a registry, when the server starts, every so often and when asked, and repairs what
 * notifications missed. It never holds up anything else: a registry that is down leaves what is known as it is.
 */
export class Reconciler {
  readonly #parts: ReconcilerParts;
  readonly #holder = randomUUID();
  readonly #stopping = new AbortController();
  #nap = new AbortController();
  #running: Promise<void> | undefined;

  constructor(parts: ReconcilerParts) {
    this.#parts = parts;
  }

  /** @example reconciler.start(); */
  start(): void {
    this.#running ??= this.#run();
  }

  /** Looks at once whether there is something to do. */
  wake(): void {
    this.#nap.abort();
  }

  /** Stops where it is; the next one goes on from there. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    this.wake();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { log, remote } = this.#parts;
    const { signal } = this.#stopping;
    const started = Date.now();
    let wait = FIRST_WAIT_MS;
    while (!signal.aborted) {
      try {
        const isDone = await this.#turn(started);
        wait = FIRST_WAIT_MS;
        if (isDone) await this.#sleep(LOOK_MS);
      } catch (thrown) {
        if (signal.aborted) break;
        const { message, cause } = WharfError.from(thrown);
        const again = Math.round(wait * (0.75 + Math.random() / 2));
        this.#count("wharf_registry_reconcile_passes_total", { outcome: "failed" });
        log.warn({ host: remote.host, why: message, cause, againMs: again }, "registry not read");
        wait = Math.min(wait * 2, LONGEST_WAIT_MS);
        const { store } = this.#parts.engine;
        await store.write((tx) => recordPassProblem(tx, remote.host, message)).catch(() => {});
        await this.#sleep(again);
      }
    }
  }

  /** Sleeps until it is woken, or was before. */
  async #sleep(ms: number): Promise<void> {
    await sleep(ms, undefined, { signal: this.#nap.signal }).catch(() => {});
    if (this.#nap.signal.aborted) this.#nap = new AbortController();
  }

  /** Does what there is to do, unless another replica does it. Returns whether there was nothing. */
  async #turn(started: number): Promise<boolean> {
    const { engine, remote, everyMs } = this.#parts;
    const { store } = engine;
    const { began, finished, requested } = await readPass(store.reader, remote.host);
    const isRecent = finished >= started && finished + everyMs > Date.now();
    const isDue = requested > 0 || (everyMs > 0 && (began > 0 || !isRecent));
    if (!isDue || !(await this.#lease())) return true;
    const lost = new AbortController();
    const renewing = setInterval(() => {
      this.#lease().then(
        (kept) => kept || lost.abort(),
        () => lost.abort(),
      );
    }, LEASE_MS / 3);
    try {
      await this.#pass(AbortSignal.any([this.#stopping.signal, lost.signal]));
    } catch (thrown) {
      // Another replica has taken over and goes on: nothing is wrong with the registry.
      const isTakenOver = thrown instanceof WharfError && thrown.code === "ABORTED";
      if (!lost.signal.aborted && !isTakenOver) throw thrown;
      return true;
    } finally {
      clearInterval(renewing);
      await store.write((tx) => releaseLease(tx, remote.host, this.#holder)).catch(() => {});
    }
    return false;
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
    const architectures = new BoundedCache<string, string>({
      maxEntries: MAX_CACHED_ARCHITECTURES,
    });
    const own = { holder: this.#holder, architectures, report };
    const parts = { engine, remote, remotes, signal, log, ...own };
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
