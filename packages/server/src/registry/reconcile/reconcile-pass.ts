import { WharfError } from "../../lib/errors.ts";
import { Semaphore } from "../../lib/scheduling/semaphore.ts";
import { markSeen, unseenLocations } from "../../store/tables/registry/locations.ts";
import { finishPass, readPass, writePass } from "../../store/tables/registry/passes.ts";
import {
  clearRepoDeletion,
  markDeletionsSeen,
  unseenDeletions,
} from "../../store/tables/registry/repo-deletions.ts";
import { mustHoldLease } from "../pass-loop.ts";
import { isRepositoryName } from "../path.ts";
import { type Findings, type ReconcileDeps, reconcileRepo } from "./reconcile-repo.ts";

/** The result of a pass so far. Stored as JSON, so field names are part of the stored data. */
export interface PassProgress extends Findings {
  /** Repositories whose path resolves to a repo. */
  repos: number;
  /** Repositories whose path resolves to nothing here. */
  elsewhere: number;
  /** Repositories that could not be reconciled; the log says why. */
  refused: number;
}

export interface PassDeps extends ReconcileDeps {
  /** The holder of the lease: this process. */
  readonly holder: string;
  /** Called with the result of every batch. */
  report(progress: PassProgress): void;
}

const CATALOG_PAGE_SIZE = 1_000;

/** Repositories reconciled between two checkpoints. */
const BATCH_SIZE = 100;

/** Repositories reconciled concurrently; the client bounds concurrent requests as well. */
const CONCURRENCY = 8;

const PROGRESS_LOG_INTERVAL_MS = 10_000;

/**
 * Reconciles a registry, from the checkpoint of an interrupted pass or from the beginning. Resolves
 * after the last page of the catalog and the removal of locations that the catalog no longer lists.
 */
export async function runPass(deps: PassDeps): Promise<PassProgress> {
  const { store, remote, signal } = deps;
  const stored = await readPass(store.reader, remote.host);
  const isNew = stored.began === 0;
  // Clocks of replicas differ: a requested pass never begins before its request.
  const began = isNew ? Math.max(Date.now(), stored.requested) : stored.began;
  const totals = isNew ? emptyProgress() : { ...emptyProgress(), ...readProgress(stored.findings) };
  const logProgress = progressLogger(deps, totals);
  const last = isNew ? "" : stored.last;
  let next: string | undefined = `/v2/_catalog?${catalogQuery(last)}`;
  await checkpoint(deps, began, last, totals);
  while (next !== undefined) {
    const page = await remote.catalog(next, signal);
    for (let at = 0; at < page.names.length; at += BATCH_SIZE) {
      const paths = page.names.slice(at, at + BATCH_SIZE);
      await reconcileBatch(deps, paths, began, totals);
      logProgress();
      await checkpoint(deps, began, paths.at(-1) as string, totals);
    }
    next = page.next;
  }
  await reconcileUnlisted(deps, began, totals);
  const finished = { began, finished: Date.now(), findings: JSON.stringify(totals) };
  await mustHoldLease(store.write((tx) => finishPass(tx, remote.host, deps.holder, finished)));
  return totals;
}

function catalogQuery(last: string): URLSearchParams {
  return new URLSearchParams({ n: String(CATALOG_PAGE_SIZE), ...(last !== "" && { last }) });
}

/** Reconciles the stored locations that the catalog did not list. */
async function reconcileUnlisted(
  deps: PassDeps,
  began: number,
  totals: PassProgress,
): Promise<void> {
  const { store, remote } = deps;
  for (let after: string | undefined = ""; after !== undefined; ) {
    const { reader } = store;
    const locations = await unseenLocations(reader, remote.host, began, after, BATCH_SIZE);
    const paths = locations.map(({ path }) => path);
    if (paths.length > 0) await reconcileBatch(deps, paths, began, totals);
    after = paths.at(-1);
  }
  await forgetGoneDeletions(deps, began);
}

/** Forgets deletions of repos whose path the registry no longer has: there is nothing to bring back. */
async function forgetGoneDeletions({ store, remote }: PassDeps, began: number): Promise<void> {
  const { host } = remote;
  for (;;) {
    const gone = await unseenDeletions(store.reader, host, began, BATCH_SIZE);
    if (gone.length === 0) return;
    await store.write(async (tx) => {
      for (const { path } of gone) await clearRepoDeletion(tx, host, path);
    });
  }
}

async function reconcileBatch(
  deps: PassDeps,
  paths: readonly string[],
  began: number,
  totals: PassProgress,
): Promise<void> {
  const { store, remote } = deps;
  const semaphore = new Semaphore(CONCURRENCY);
  const progress = emptyProgress();
  await Promise.all(
    paths.map((path) =>
      semaphore.run(async () => {
        deps.signal.throwIfAborted();
        add(progress, await reconcilePath(deps, path));
      }),
    ),
  );
  await store.write(async (tx) => {
    for (const path of paths) await markSeen(tx, remote.host, path, began);
    await markDeletionsSeen(tx, remote.host, paths, began);
  });
  add(totals, progress);
  deps.report(progress);
}

/** Reconciles one repository. One that fails must not keep the pass from the others. */
async function reconcilePath(deps: PassDeps, path: string): Promise<Partial<PassProgress>> {
  if (!isRepositoryName(path)) return { elsewhere: 1 };
  try {
    const findings = await reconcileRepo(deps, path);
    if (findings === undefined) return { elsewhere: 1 };
    return { repos: findings.deleted > 0 ? 0 : 1, ...findings };
  } catch (thrown) {
    const error = WharfError.from(thrown);
    if (error.code === "UNAVAILABLE" || deps.signal.aborted) throw thrown;
    const { host } = deps.remote;
    const { message: reason, cause } = error;
    deps.log.warn({ host, repository: path, reason, cause }, "repository not reconciled");
    return { refused: 1 };
  }
}

function checkpoint(
  { store, remote, holder }: PassDeps,
  began: number,
  last: string,
  totals: PassProgress,
): Promise<void> {
  const pass = { began, last, findings: JSON.stringify(totals) };
  return mustHoldLease(store.write((tx) => writePass(tx, remote.host, holder, pass)));
}

/** Parses the stored result of a pass. */
export function readProgress(findings: string): Partial<PassProgress> {
  return JSON.parse(findings) as Partial<PassProgress>;
}

function progressLogger({ log, remote }: PassDeps, totals: PassProgress): () => void {
  let logged = performance.now();
  return () => {
    if (performance.now() - logged < PROGRESS_LOG_INTERVAL_MS) return;
    logged = performance.now();
    log.info({ host: remote.host, ...totals }, "reconcile pass in progress");
  };
}

function emptyProgress(): PassProgress {
  const tags = { same: 0, created: 0, moved: 0, removed: 0 };
  return { repos: 0, elsewhere: 0, refused: 0, manifests: 0, deleted: 0, ...tags };
}

function add(sum: PassProgress, more: Partial<PassProgress>): void {
  for (const key of Object.keys(more) as (keyof PassProgress)[]) sum[key] += more[key] ?? 0;
}
