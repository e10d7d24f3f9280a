import { create } from "@bufbuild/protobuf";
import { durationFromMs, durationMs, timestampFromMs } from "@bufbuild/protobuf/wkt";
import {
  type VulnerabilitySource,
  VulnerabilitySourceSchema,
  VulnerabilitySourceState,
  VulnerabilitySourceStatusSchema,
  VulnerabilitySourcesService,
} from "@wharf/contract";
import { Resource } from "../../engine/resource.ts";
import type { MaskPath } from "../../engine/write/mask.ts";
import type { Mutation } from "../../engine/write/mutation.ts";
import { invalidArgument, WharfError } from "../../lib/errors.ts";
import type { Reader } from "../../store/db/connection.ts";
import {
  addSourceState,
  deleteSourceState,
  NEVER_DUE,
  type SourceState,
  setSourceDue,
  setSourcePosition,
  sourceStates,
} from "../../store/tables/exposure/sources/source-states.ts";
import { sourceProblems } from "./checks.ts";
import type { SourceDeps } from "./deps.ts";
import { SOURCE_KINDS } from "./kinds.ts";
import { readResult } from "./result.ts";

/** The name under which the token is sealed. */
export const SOURCE_TOKEN = "source-token";

/** A source without success for so many intervals, and at least a day, is stale. */
const STALE_INTERVALS = 3;
const DAY_MS = 24 * 3_600_000;

/** Sources of vulnerability data. Their advisories are written with the rights of those who manage them. */
export const vulnerabilitySources: Resource<VulnerabilitySource> = new Resource({
  service: VulnerabilitySourcesService,
  schema: VulnerabilitySourceSchema,
  table: "vulnerability_sources",
  hydrate: hydrateSources,
  hooks: ({ vulnerabilitySources: deps }) => ({
    applyDefaults(source) {
      const kind = SOURCE_KINDS[source.kind];
      source.url ||= kind?.url ?? "";
      source.interval ??= durationFromMs(kind?.intervalMs ?? 0);
    },
    async beforeCreate(mutation, created) {
      check(mutation, deps, created, undefined);
      created.hasToken = created.token !== "";
      if (created.hasToken)
        await deps.secrets.put(mutation.tx, created.uid, SOURCE_TOKEN, created.token);
      await addSourceState(
        mutation.tx,
        created.uid,
        created.paused ? NEVER_DUE : mutation.call.time,
      );
    },
    async beforeUpdate(mutation, before, after, mask) {
      check(mutation, deps, after, before);
      await updateToken(mutation, deps, before, after, mask);
      // Validators and positions are those of one address.
      const isElsewhere =
        before.url !== after.url || `${before.ecosystems}` !== `${after.ecosystems}`;
      if (isElsewhere) await setSourcePosition(mutation.tx, after.uid, "");
      const isChanged = isElsewhere || before.paused !== after.paused;
      if (!isChanged) return;
      await setSourceDue(mutation.tx, after.uid, after.paused ? NEVER_DUE : mutation.call.time);
    },
    async beforeDelete({ tx }, { uid }) {
      await deleteSourceState(tx, uid);
      await deps.secrets.remove(tx, uid, SOURCE_TOKEN);
    },
  }),
});

function check(
  { caller }: Mutation,
  { policy }: SourceDeps,
  source: VulnerabilitySource,
  before: VulnerabilitySource | undefined,
): void {
  const problems = sourceProblems(policy, source, before);
  if (problems.length > 0) throw invalidArgument(...problems);
  if (SOURCE_KINDS[source.kind]?.isShared && !caller.isOperator) {
    const text =
      "facts of KEV and EPSS apply to the whole installation: only its operator imports them";
    throw new WharfError("PERMISSION_DENIED", text);
  }
}

/** A token is sent to the origin that it was stored for: another origin needs it again. */
async function updateToken(
  { tx }: Mutation,
  { secrets }: SourceDeps,
  before: VulnerabilitySource,
  after: VulnerabilitySource,
  mask: readonly MaskPath[],
): Promise<void> {
  const isNamed = mask.some((path) => path.map((field) => field.name).join(".") === "token");
  after.hasToken = before.hasToken;
  if (after.token !== "") {
    await secrets.put(tx, after.uid, SOURCE_TOKEN, after.token);
    after.hasToken = true;
  } else if (isNamed) {
    await secrets.remove(tx, after.uid, SOURCE_TOKEN);
    after.hasToken = false;
  } else if (after.hasToken && URL.parse(before.url)?.origin !== URL.parse(after.url)?.origin) {
    const description = "token must be sent again when the origin of url changes";
    throw invalidArgument({ field: "token", description });
  }
}

/** Fills in the state of imports. */
export async function hydrateSources(
  reader: Reader,
  all: readonly VulnerabilitySource[],
): Promise<void> {
  const states = await sourceStates(
    reader,
    all.map(({ uid }) => uid),
  );
  const now = Date.now();
  for (const source of all) {
    const state = states.get(source.uid);
    if (state !== undefined) source.status = statusOf(source, state, now);
  }
}

function statusOf(source: VulnerabilitySource, state: SourceState, now: number) {
  const timed = <Name extends string>(name: Name, ms: number) =>
    (ms === 0 ? {} : { [name]: timestampFromMs(ms) }) as Record<Name, never>;
  const { records, changed, rejected, rejections } = readResult(state.result);
  return create(VulnerabilitySourceStatusSchema, {
    state: stateOf(source, state, now),
    ...timed("lastAttemptTime", state.attempted),
    ...timed("lastSuccessTime", state.succeeded),
    ...timed("nextAttemptTime", state.due === NEVER_DUE ? 0 : state.due),
    ...timed("dataTime", state.dataTime),
    ...timed("failingSince", state.failingSince),
    failures: state.failures,
    errorCode: state.errorCode,
    error: state.error,
    records: BigInt(records),
    changed: BigInt(changed),
    rejected: BigInt(rejected),
    rejections: [...rejections],
  });
}

function stateOf(
  source: VulnerabilitySource,
  state: SourceState,
  now: number,
): VulnerabilitySourceState {
  if (source.paused) return VulnerabilitySourceState.PAUSED;
  if (isStale(source, state, now)) return VulnerabilitySourceState.STALE;
  if (state.failures > 0) return VulnerabilitySourceState.FAILING;
  if (state.attempted === 0) return VulnerabilitySourceState.PENDING;
  return VulnerabilitySourceState.CURRENT;
}

/** Whether its data is older than its interval explains. */
export function isStale(
  { interval }: VulnerabilitySource,
  { succeeded, failingSince }: SourceState,
  now: number,
): boolean {
  const since = succeeded || failingSince;
  const bound = Math.max(DAY_MS, STALE_INTERVALS * (interval ? durationMs(interval) : 0));
  return since > 0 && now - since > bound;
}
