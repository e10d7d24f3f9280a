import { WharfError } from "../../lib/errors.ts";
import { Semaphore } from "../../lib/semaphore.ts";
import { markSeen, unseenLocations } from "../../store/tables/registry-locations.ts";
import { finishPass, readPass, writePass } from "../../store/tables/registry-passes.ts";
import { isRepositoryName } from "../name.ts";
import { type Findings, type RepoParts, reconcileRepo } from "./reconcile-repo.ts";

/** What a part of a pass came to. */
export interface PassProgress extends Findings {
  /** Repositories that are ours. */
  repos: number;
  /** Repositories whose path stands for nothing here. */
  elsewhere: number;
  /** Repositories that we could not take in; the log says why. */
  refused: number;
}

export interface PassParts extends RepoParts {
  readonly holder: string;
  /** Hears of every step. */
  report(progress: PassProgress): void;
}

/** Repositories asked for at a time. */
const PAGE = 1_000;

/** Repositories looked at between two checkpoints. */
const STEP = 100;

/** Repositories looked at at a time; their requests share the registry's own bound. */
const AT_ONCE = 8;

/** How often the log tells how far it is. */
const TELL_MS = 10_000;

/**
 * Looks through a registry from where the last pass stopped, or from the beginning. Resolves at the
 * end of the catalogue with what it came to; what is not in the catalogue any more is gone by then.
 *
 * @example const totals = await runPass(parts);
 */
export async function runPass(parts: PassParts): Promise<PassProgress> {
  const { engine, remote, signal } = parts;
  const kept = await readPass(engine.store.reader, remote.host);
  const isNew = kept.began === 0;
  // Clocks of replicas differ: one that is asked for counts as begun after that.
  const began = isNew ? Math.max(Date.now(), kept.requested) : kept.began;
  const totals = isNew ? nothing() : { ...nothing(), ...readProgress(kept.findings) };
  const tell = teller(parts, totals);
  const last = isNew ? "" : kept.last;
  let next: string | undefined = `/v2/_catalog?${query(last)}`;
  await checkpoint(parts, began, last, totals);
  while (next !== undefined) {
    const page = await remote.catalog(next, signal);
    for (let at = 0; at < page.names.length; at += STEP) {
      const paths = page.names.slice(at, at + STEP);
      await step(parts, paths, began, totals);
      tell();
      await checkpoint(parts, began, paths.at(-1) as string, totals);
    }
    next = page.next;
  }
  await lookForGone(parts, began, totals);
  const ended = { began, finished: Date.now(), findings: JSON.stringify(totals) };
  await ifOurs(engine.store.write((tx) => finishPass(tx, remote.host, parts.holder, ended)));
  return totals;
}

function query(last: string): URLSearchParams {
  return new URLSearchParams({ n: String(PAGE), ...(last !== "" && { last }) });
}

/** Repositories that we know and the catalogue does not name. */
async function lookForGone(parts: PassParts, began: number, totals: PassProgress): Promise<void> {
  const { engine, remote } = parts;
  for (let after: string | undefined = ""; after !== undefined; ) {
    const { reader } = engine.store;
    const places = await unseenLocations(reader, remote.host, began, after, STEP);
    if (places.length > 0)
      await step(
        parts,
        places.map(({ path }) => path),
        began,
        totals,
      );
    after = places.at(-1)?.path;
  }
}

/** Looks at some repositories. */
async function step(
  parts: PassParts,
  paths: readonly string[],
  began: number,
  totals: PassProgress,
): Promise<void> {
  const { engine, remote } = parts;
  const semaphore = new Semaphore(AT_ONCE);
  const progress = nothing();
  await Promise.all(
    paths.map((path) =>
      semaphore.run(async () => {
        parts.signal.throwIfAborted();
        add(progress, await look(parts, path));
      }),
    ),
  );
  await engine.store.write(async (tx) => {
    for (const path of paths) await markSeen(tx, remote.host, path, began);
  });
  add(totals, progress);
  parts.report(progress);
}

/** Looks at one repository. What it is that cannot be taken in must not keep us from the others. */
async function look(parts: PassParts, path: string): Promise<Partial<PassProgress>> {
  if (!isRepositoryName(path)) return { elsewhere: 1 };
  try {
    const findings = await reconcileRepo(parts, path);
    return findings === undefined ? { elsewhere: 1 } : { repos: 1, ...findings };
  } catch (thrown) {
    const error = WharfError.from(thrown);
    if (error.code === "UNAVAILABLE" || parts.signal.aborted) throw thrown;
    const { host } = parts.remote;
    const { message: why, cause } = error;
    parts.log.warn({ host, repository: path, why, cause }, "repository not taken in");
    return { refused: 1 };
  }
}

/** Keeps how far it is. */
function checkpoint(
  { engine, remote, holder }: PassParts,
  began: number,
  last: string,
  totals: PassProgress,
): Promise<void> {
  const pass = { began, last, findings: JSON.stringify(totals) };
  return ifOurs(engine.store.write((tx) => writePass(tx, remote.host, holder, pass)));
}

/** Stops when another replica has taken over. */
async function ifOurs(kept: Promise<boolean>): Promise<void> {
  if (await kept) return;
  throw new WharfError("ABORTED", "another replica looks through the registry");
}

/**
 * What a pass came to, as it is kept.
 *
 * @example readProgress(pass.findings).created
 */
export function readProgress(findings: string): Partial<PassProgress> {
  return JSON.parse(findings) as Partial<PassProgress>;
}

function teller({ log, remote }: PassParts, totals: PassProgress): () => void {
  let told = Date.now();
  return () => {
    if (Date.now() - told < TELL_MS) return;
    told = Date.now();
    log.info({ host: remote.host, ...totals }, "looking through the registry");
  };
}

function nothing(): PassProgress {
  const tags = { same: 0, created: 0, moved: 0, removed: 0 };
  return { repos: 0, elsewhere: 0, refused: 0, manifests: 0, ...tags };
}

function add(sum: PassProgress, more: Partial<PassProgress>): void {
  for (const key of Object.keys(more) as (keyof PassProgress)[]) sum[key] += more[key] ?? 0;
}
