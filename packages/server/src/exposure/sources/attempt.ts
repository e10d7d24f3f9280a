import { durationMs } from "@bufbuild/protobuf/wkt";
import { DocumentError } from "@wharf/advisories/import";
import { VulnerabilitySourceKind as Kind, type VulnerabilitySource } from "@wharf/contract";
import { DownloadError } from "../../delivery/download.ts";
import type { Leases } from "../../delivery/leases.ts";
import { backoff } from "../../delivery/retry-schedule.ts";
import type { Logger } from "../../observe/logger.ts";
import type { Metrics } from "../../observe/metrics.ts";
import type { Secrets } from "../../secrets/secrets.ts";
import type { Transaction } from "../../store/db/commit/transaction.ts";
import {
  NEVER_DUE,
  type SourceState,
  setSourcePosition,
  sourcePosition,
  sourceStates,
  writeSourceState,
} from "../../store/tables/exposure/sources/source-states.ts";
import type { ImportDeps } from "../../vulnerabilities/import/imports.ts";
import { mustAlert, writeAlert } from "./alert.ts";
import { SOURCE_TOKEN } from "./definition.ts";
import { importEpss } from "./epss.ts";
import { SourceError } from "./errors.ts";
import { type FetcherDeps, SourceFetcher } from "./fetcher.ts";
import { RecordImporter } from "./importer.ts";
import { importKev } from "./kev.ts";
import { importOsv } from "./osv.ts";
import { readResult, SourceTally } from "./result.ts";
import type { SourceProgress, SourceRun } from "./run.ts";
import { importAlpine, importSecdb } from "./secdb.ts";

const IMPORTS: Readonly<Partial<Record<Kind, (run: SourceRun) => Promise<SourceProgress>>>> = {
  [Kind.OSV]: importOsv,
  [Kind.ALPINE]: importAlpine,
  [Kind.SECDB]: importSecdb,
  [Kind.KEV]: importKev,
  [Kind.EPSS]: importEpss,
};

/** The first pause after a failure; it doubles with each, up to the interval of the source. */
const FIRST_RETRY_MS = 60_000;

export interface AttemptDeps extends ImportDeps, FetcherDeps {
  readonly secrets: Secrets;
  readonly leases: Leases;
  readonly metrics: Metrics;
  readonly log: Logger;
}

/** Why an attempt failed, for people. */
interface Failure {
  readonly code: string;
  readonly text: string;
  readonly retryAfterMs: number;
}

type Outcome = (SourceProgress & { readonly tally: SourceTally }) | { readonly failure: Failure };

/** Imports a source, and stores the result and the time of the next attempt. */
export async function attempt(
  deps: AttemptDeps,
  uid: string,
  lease: string,
  stopping: AbortSignal,
): Promise<void> {
  const { store, catalog, log, metrics, leases } = deps;
  const source = await catalog.vulnerabilitySources.find(store.reader, uid);
  const state = (await sourceStates(store.reader, [uid])).get(uid);
  if (source === undefined || state === undefined) return;
  const tally = new SourceTally();
  let outcome: Outcome;
  try {
    const run = await runOf(deps, source, lease, tally, stopping);
    const progress = await IMPORTS[source.kind]?.(run);
    outcome = { isUnchanged: true, ...progress, tally };
  } catch (error) {
    // Another process goes on, or this one after its next start.
    if (stopping.aborted || !leases.holds(lease)) return;
    outcome = { failure: failureOf(error) };
    log.warn({ err: error, source: uid }, "sources: import failed, and is tried again");
  }
  const isFailed = "failure" in outcome;
  const labels = { kind: Kind[source.kind], result: isFailed ? "failed" : "succeeded" };
  metrics.count("wharf_vulnerability_source_imports_total", labels);
  const now = Date.now();
  await store.write(async (tx) => {
    if (!(await leases.confirm(tx, lease))) return;
    const next = stateAfter(source, state, outcome, now);
    const alerts = isFailed && mustAlert(source, next, now);
    const written = alerts ? { ...next, alerted: true } : next;
    await writeSourceState(tx, uid, written, state.due);
    if (alerts) await writeAlert(tx, source, now);
  });
}

async function runOf(
  deps: AttemptDeps,
  source: VulnerabilitySource,
  lease: string,
  tally: SourceTally,
  signal: AbortSignal,
): Promise<SourceRun> {
  const { store, secrets, leases } = deps;
  const token = source.hasToken
    ? await secrets.get(store.reader, source.uid, SOURCE_TOKEN)
    : undefined;
  const position = await sourcePosition(store.reader, source.uid);
  const save = async (tx: Transaction, json: string) => {
    if (!(await leases.confirm(tx, lease))) throw new Error("another process imports the source");
    await setSourcePosition(tx, source.uid, json);
  };
  return {
    source,
    store,
    fetcher: new SourceFetcher(deps, source, token, signal),
    importer: new RecordImporter(deps, source, tally),
    tally,
    signal,
    position: position === "" ? undefined : JSON.parse(position),
    save: (reached) => store.write((tx) => save(tx, JSON.stringify(reached))),
  };
}

function stateAfter(
  source: VulnerabilitySource,
  before: SourceState,
  outcome: Outcome,
  now: number,
): SourceState {
  const intervalMs = source.interval === undefined ? 0 : durationMs(source.interval);
  if ("failure" in outcome) {
    const { code, text, retryAfterMs } = outcome.failure;
    const failures = before.failures + 1;
    const pause = backoff(failures, Math.min(FIRST_RETRY_MS, intervalMs), intervalMs);
    return {
      ...before,
      due: nextAttempt(source, now + Math.max(pause, retryAfterMs)),
      attempted: now,
      failures,
      failingSince: before.failingSince || now,
      errorCode: code,
      error: text,
    };
  }
  const { isUnchanged, dataTime, tally } = outcome;
  return {
    ...before,
    due: nextAttempt(source, now + intervalMs),
    attempted: now,
    succeeded: now,
    dataTime: dataTime ?? before.dataTime,
    failingSince: 0,
    failures: 0,
    alerted: false,
    errorCode: "",
    error: "",
    result: resultOf(before, isUnchanged, tally),
  };
}

/** A paused source is imported only when that is requested. */
function nextAttempt({ paused }: VulnerabilitySource, time: number): number {
  return paused ? NEVER_DUE : time;
}

/** The result of an import as JSON. Rejected records stay visible while the source is unchanged. */
function resultOf(before: SourceState, isUnchanged: boolean, tally: SourceTally): string {
  const { records, changed, rejected, rejections } = tally;
  if (!isUnchanged) return JSON.stringify({ records, changed, rejected, rejections });
  const { rejected: earlier, rejections: named } = readResult(before.result);
  return JSON.stringify({ records: 0, changed: 0, rejected: earlier, rejections: named });
}

function failureOf(error: unknown): Failure {
  if (error instanceof DownloadError) {
    return { code: error.code, text: error.message, retryAfterMs: error.retryAfterMs };
  }
  if (error instanceof SourceError) {
    return { code: error.code, text: error.message, retryAfterMs: 0 };
  }
  if (error instanceof DocumentError) {
    const reason = error.problems[0]?.reason ?? "it cannot be read";
    return { code: "INVALID_DATA", text: reason, retryAfterMs: 0 };
  }
  const text = "the import failed on the server: its log has the reason";
  return { code: "INTERNAL", text, retryAfterMs: 0 };
}
