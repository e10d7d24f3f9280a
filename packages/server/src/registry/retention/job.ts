import { setImmediate as immediate, setTimeout as sleep } from "node:timers/promises";
import type { RetentionPolicy } from "@wharf/contract";
import { Leases } from "../../delivery/leases.ts";
import type { WriteDeps } from "../../engine/write/mutation.ts";
import type { Logger } from "../../observe/logger.ts";
import type { Transaction } from "../../store/db/commit/transaction.ts";
import { markUntagged } from "../../store/tables/registry/manifests.ts";
import {
  forgetExpiredDeletions,
  hasExpiredDeletions,
  ownRepos,
  policyScopes,
} from "../../store/tables/registry/retention.ts";
import { namesTo } from "../uid-path.ts";
import { deleteImages } from "./delete-images.ts";
import {
  announceTags,
  deleteTags,
  lockForRetention,
  OutdatedPlan,
  type RepoRun,
  revokeAnnouncements,
} from "./delete-tags.ts";
import { effectivePolicy } from "./effective-policy.ts";
import { subjectOf } from "./evaluate-tags.ts";
import { planOf } from "./plan.ts";
import { readRepoState } from "./repo-state.ts";

export interface RetentionJobDeps extends WriteDeps {
  readonly log: Logger;
  /** The hosts of attached registries, whose repos are left alone. */
  readonly attached: readonly string[];
}

const LEASE = "registry-retention";
const LEASE_TIMES = { leaseMs: 60_000 };
const INTERVAL_MS = 3_600_000;

/** Changes in one transaction, during which the repo is locked. */
const BATCH_SIZE = 100;

/** Evaluations of a repo that changes all the time, before it is left to the next pass. */
const MAX_ATTEMPTS = 3;

const REPO_BATCH_SIZE = 500;

const TASK = { pause: () => immediate() };

/** Announces and deletes what no policy keeps: hourly, in one process at a time. */
export class RetentionJob {
  readonly #deps: RetentionJobDeps;
  readonly #leases: Leases;
  readonly #stopping = new AbortController();
  #running: Promise<void> | undefined;

  constructor(deps: RetentionJobDeps) {
    this.#deps = deps;
    this.#leases = new Leases(deps.store, LEASE_TIMES);
  }

  start(): void {
    this.#running ??= this.#run();
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
    await this.#leases.close();
  }

  /** Does what is due, unless another process does. */
  async pass(now = Date.now()): Promise<void> {
    const { store, log } = this.#deps;
    const scopes = await policyScopes(store.reader);
    // An idle server writes nothing.
    const hasExpired = await hasExpiredDeletions(store.reader, now);
    if (scopes.length === 0 && !hasExpired) return;
    if (!(await this.#leases.acquire(LEASE))) return;
    try {
      while (
        hasExpired &&
        (await this.#write((tx) => forgetExpiredDeletions(tx, now, BATCH_SIZE)))
      );
      for (const scope of scopes) {
        for await (const repo of this.#reposOf(scope)) {
          await this.#apply(scope, repo, now).catch((err) => {
            if (this.#isStopped) throw err;
            log.error({ err, repo }, "retention of a repo failed");
          });
        }
      }
    } finally {
      await this.#leases.release(LEASE);
    }
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      try {
        await this.pass();
      } catch (err) {
        if (!signal.aborted) this.#deps.log.error({ err }, "retention was interrupted");
      }
      await sleep(INTERVAL_MS, undefined, { signal, ref: false }).catch(() => {});
    }
  }

  get #isStopped(): boolean {
    return this.#stopping.signal.aborted || !this.#leases.holds(LEASE);
  }

  /** A transaction, unless this process is to stop or another one does the work. */
  #write<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
    return this.#deps.store.write(async (tx) => {
      const isHolder = !this.#isStopped && (await this.#leases.confirm(tx, LEASE));
      if (!isHolder) throw new Error("another process does the retention, or none");
      return work(tx);
    });
  }

  async *#reposOf(scope: string): AsyncIterable<string> {
    const { store, attached } = this.#deps;
    for (let last: string | undefined = ""; last !== undefined; ) {
      const page: string[] = await ownRepos(store.reader, scope, attached, last, REPO_BATCH_SIZE);
      yield* page;
      last = page.length < REPO_BATCH_SIZE ? undefined : page.at(-1);
    }
  }

  /** Evaluates a repo for the policy of a scope, if it is the nearest one, and does what follows. */
  async #apply(scope: string, repo: string, now: number): Promise<void> {
    const { store, catalog, log } = this.#deps;
    for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
      const policy = await effectivePolicy(catalog, store.reader, repo);
      if (policy?.uid !== scope) return;
      const run = await this.#evaluate(repo, policy, now);
      try {
        const deleted = await this.#carryOut(run);
        if (deleted.tags + deleted.images > 0)
          log.info({ repo, policy: scope, ...deleted }, "retention has deleted tags and images");
        return;
      } catch (error) {
        if (!(error instanceof OutdatedPlan)) throw error;
      }
    }
  }

  async #evaluate(repo: string, policy: RetentionPolicy, now: number): Promise<RepoRun> {
    const { catalog, store } = this.#deps;
    const { reader } = store;
    const state = await readRepoState(catalog, reader, repo, policy, now);
    const plan = await planOf(policy, state, now, TASK);
    const path = (await namesTo(catalog, reader, repo)).join("/");
    const policyPath = (await namesTo(catalog, reader, policy.uid)).join("/");
    return { repo, path, policy, policyPath, plan, now };
  }

  async #carryOut(run: RepoRun): Promise<{ readonly tags: number; readonly images: number }> {
    const { policy, plan, now, repo } = run;
    const deps = this.#deps;
    const own = plan.tags.filter(({ name }) => subjectOf(name) === undefined);
    const announced = policy.announceDays === 0 ? [] : own.filter((tag) => !tag.isAnnounced);
    for (const batch of batches(plan.revoked))
      await this.#write((tx) => revokeAnnouncements(deps, tx, run, batch));
    for (const batch of batches(announced))
      await this.#write((tx) => announceTags(deps, tx, run, batch));
    let tags = 0;
    for (const batch of batches(own.filter(({ expires }) => expires <= now)))
      tags += await this.#write((tx) => deleteTags(deps, tx, run, batch));
    const marks = [
      [plan.images.newlyUntagged, now],
      [plan.images.newlyTagged, 0],
    ] as const;
    for (const [digests, since] of marks)
      for (const batch of batches(digests))
        await this.#write(async (tx) => {
          await lockForRetention(deps, tx, run);
          await markUntagged(tx, repo, batch, since);
        });
    const deleted = new Set<string>();
    const due = plan.images.lapsed.filter(({ expires }) => expires <= now);
    for (const batch of batches(due.map(({ digest }) => digest)))
      for (const digest of await this.#write((tx) => deleteImages(deps, tx, run, batch, deleted)))
        deleted.add(digest);
    return { tags, images: deleted.size };
  }
}

function* batches<T>(all: readonly T[]): Iterable<readonly T[]> {
  for (let at = 0; at < all.length; at += BATCH_SIZE) yield all.slice(at, at + BATCH_SIZE);
}
