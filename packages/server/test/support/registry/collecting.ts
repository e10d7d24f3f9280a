/** Collections of garbage that a test runs itself, beside a server whose own do not run: `--registry-gc-minutes 0`. */
import {
  type CollectionDeps,
  CollectionPass,
} from "../../../src/registry/collection/collection-pass.ts";
import { type EndedPass, PASS_NAMES } from "../../../src/registry/collection/findings.ts";
import type { Store } from "../../../src/store/db/store.ts";
import type { Blob } from "../../../src/store/tables/registry/blobs.ts";
import { takeLease } from "../../../src/store/tables/registry/passes.ts";
import { until } from "../until.ts";

const HOLDER = "test";
const LEASE_MS = 60_000;

export type CollectOptions = Pick<CollectionDeps, "store" | "storage"> & Partial<CollectionDeps>;

/** Runs a pass, or continues one, as another replica would. Files are removed whatever their age, by default. */
export async function collect(options: CollectOptions): Promise<EndedPass> {
  const { store, kind = "collection" } = options;
  await until(() => store.write((tx) => takeLease(tx, PASS_NAMES[kind], HOLDER, LEASE_MS)));
  const pass = new CollectionPass({
    ...{ kind, holder: HOLDER, signal: new AbortController().signal },
    ...{ settleMs: -60_000, now: Date.now, deleted() {} },
    ...options,
  });
  return pass.run();
}

/** Ends all leases of links. */
export function endLeases(store: Store): Promise<number> {
  return store.write((tx) => tx.run("UPDATE blob_links SET leased = 1"));
}

/** The blobs that a store has, in the order of their digests. */
export function storedBlobs(store: Store): Promise<Blob[]> {
  return store.reader.all("SELECT digest, size FROM blobs ORDER BY digest");
}

/** The blobs that are garbage at a time, by the slow comparison of everything with everything. */
export async function garbageOf(store: Store, now: number): Promise<Blob[]> {
  const rows = <R extends object>(sql: string) => store.reader.all<R>(sql);
  const repos = new Set(
    (await rows<{ uid: string }>("SELECT uid FROM repos")).map(({ uid }) => uid),
  );
  const references = await rows<{ repo: string; digest: string }>(
    "SELECT repo, digest FROM manifest_references",
  );
  const referred = new Set(references.map(({ repo, digest }) => `${repo} ${digest}`));
  const links = await rows<{ repo: string; digest: string; leased: number }>(
    "SELECT repo, digest, leased FROM blob_links",
  );
  const needed = new Set(
    links
      .filter(({ repo, digest, leased }) => {
        if (!repos.has(repo)) return false;
        return referred.has(`${repo} ${digest}`) || Number(leased) >= now;
      })
      .map(({ digest }) => digest),
  );
  return (await storedBlobs(store)).filter(({ digest }) => !needed.has(digest));
}

export function bytesOf(blobs: readonly Blob[]): number {
  return blobs.reduce((sum, { size }) => sum + Number(size), 0);
}
