import { create } from "@bufbuild/protobuf";
import { durationMs, timestampFromMs } from "@bufbuild/protobuf/wkt";
import {
  UpstreamMode as Mode,
  UpstreamSyncState as SyncState,
  type Upstream,
  UpstreamSchema,
  type UpstreamStatus,
  UpstreamStatusSchema,
  UpstreamsService,
} from "@wharf/contract";
import { Resource } from "../../engine/resource.ts";
import type { MaskPath } from "../../engine/write/mask.ts";
import type { Mutation } from "../../engine/write/mutation.ts";
import { type FieldViolation, invalidArgument, notFound } from "../../lib/errors.ts";
import type { Reader } from "../../store/db/connection.ts";
import {
  addUpstreamState,
  deleteUpstreamState,
  NEVER_DUE,
  setUpstreamDue,
  type UpstreamState,
  upstreamStates,
} from "../../store/tables/registry/upstream-states.ts";
import type { UpstreamDeps } from "./deps.ts";
import { readSyncResult } from "./sync-result.ts";

/** The name under which the password is sealed. */
export const UPSTREAM_PASSWORD = "upstream-password";

const DEFAULT_REVALIDATE_SECONDS = 300;
const MIN_REVALIDATE_SECONDS = 10;
const MAX_REVALIDATE_SECONDS = 7 * 24 * 3_600;

const MIN_INTERVAL_MS = 5 * 60_000;
const MAX_INTERVAL_MS = 30 * 24 * 3_600_000;

/** Upstreams of groups and repos: at most one of each, under its uid. */
export const upstreams: Resource<Upstream> = new Resource({
  service: UpstreamsService,
  schema: UpstreamSchema,
  table: "upstreams",
  tree: { uidIsParent: true },
  hydrate: hydrateUpstreams,
  hooks: ({ upstreams: deps }) => ({
    applyDefaults(upstream) {
      upstream.revalidateSeconds ||= DEFAULT_REVALIDATE_SECONDS;
    },
    async resolveParent({ tx, deps: { catalog } }, parent) {
      const { groups, repos } = catalog;
      if (await groups.table.keep(tx, parent)) return parent;
      if (await repos.table.keep(tx, parent)) return parent;
      throw notFound(groups.typeName, parent);
    },
    async beforeCreate(mutation, created) {
      created.hasPassword = created.password !== "";
      await check(mutation, deps, created, undefined);
      if (created.hasPassword)
        await deps.secrets.put(mutation.tx, created.uid, UPSTREAM_PASSWORD, created.password);
      await addUpstreamState(mutation.tx, created.uid, firstSync(created, mutation.call.time));
    },
    async beforeUpdate(mutation, before, after, mask) {
      await updatePassword(mutation, deps, before, after, mask);
      await check(mutation, deps, after, before);
      const due = firstSync(after, mutation.call.time);
      if (isSyncedOtherwise(before, after)) await setUpstreamDue(mutation.tx, after.uid, due);
    },
    async beforeDelete({ tx }, { uid }) {
      await deleteUpstreamState(tx, uid);
      await deps.secrets.remove(tx, uid, UPSTREAM_PASSWORD);
    },
  }),
});

/** A synchronization is due at once. */
function firstSync({ mode }: Upstream, now: number): number {
  return mode === Mode.SYNC ? now : NEVER_DUE;
}

/** Whether an update changes what is copied, or when. */
function isSyncedOtherwise(before: Upstream, after: Upstream): boolean {
  const fields = ["mode", "url", "path", "repositories", "tags"] as const;
  const interval = ({ syncInterval: one }: Upstream) => (one === undefined ? 0 : durationMs(one));
  return (
    fields.some((field) => `${before[field]}` !== `${after[field]}`) ||
    interval(before) !== interval(after)
  );
}

async function check(
  { tx, deps: { catalog } }: Mutation,
  { policy }: UpstreamDeps,
  upstream: Upstream,
  before: Upstream | undefined,
): Promise<void> {
  const isRepo = (await catalog.repos.find(tx, upstream.uid)) !== undefined;
  const problems = problemsOf(upstream, isRepo);
  const { url } = upstream;
  const problem =
    url === before?.url ? undefined : (policy.problem(url) ?? problemOfAddress(new URL(url)));
  if (problem !== undefined) problems.unshift({ field: "url", description: `url ${problem}` });
  if (problems.length > 0) throw invalidArgument(...problems);
}

function problemOfAddress(url: URL): string | undefined {
  return url.search === "" ? undefined : "must not have a query";
}

/** Violations, by field, of rules that the contract cannot express. */
function problemsOf(upstream: Upstream, isRepo: boolean): FieldViolation[] {
  const { mode, path, username, hasPassword, revalidateSeconds, syncInterval } = upstream;
  const found: FieldViolation[] = [];
  const reject = (isWrong: boolean, field: string, rest: string) => {
    if (isWrong) found.push({ field, description: `${field} ${rest}` });
  };
  const isSync = mode === Mode.SYNC;
  reject(mode === Mode.UNSPECIFIED || !(mode in Mode), "mode", "must be CACHE, GATEWAY or SYNC");
  reject(isRepo && path === "", "path", "is required for a repo: its name at the upstream");
  reject((username === "") === hasPassword, "password", "and username must be set together");
  const isBounded =
    revalidateSeconds >= MIN_REVALIDATE_SECONDS && revalidateSeconds <= MAX_REVALIDATE_SECONDS;
  reject(!isBounded, "revalidateSeconds", "must be from 10 to 604800");
  const needsNames = isSync && !isRepo && upstream.repositories.length === 0;
  reject(needsNames, "repositories", "are required for the mode SYNC of a group");
  const intervalMs = syncInterval === undefined ? undefined : durationMs(syncInterval);
  reject(intervalMs !== undefined && !isSync, "syncInterval", "is for the mode SYNC only");
  const isInterval =
    intervalMs === undefined || (intervalMs >= MIN_INTERVAL_MS && intervalMs <= MAX_INTERVAL_MS);
  reject(!isInterval, "syncInterval", "must be from 5 minutes to 30 days");
  return found;
}

/** A password is sent to the origin that it was stored for: another origin needs it again. */
async function updatePassword(
  { tx }: Mutation,
  { secrets }: UpstreamDeps,
  before: Upstream,
  after: Upstream,
  mask: readonly MaskPath[],
): Promise<void> {
  const isNamed = mask.some((path) => path.map((field) => field.name).join(".") === "password");
  after.hasPassword = before.hasPassword;
  if (after.password !== "") {
    await secrets.put(tx, after.uid, UPSTREAM_PASSWORD, after.password);
    after.hasPassword = true;
  } else if (isNamed) {
    await secrets.remove(tx, after.uid, UPSTREAM_PASSWORD);
    after.hasPassword = false;
  } else if (after.hasPassword && URL.parse(before.url)?.origin !== URL.parse(after.url)?.origin) {
    const description = "password must be sent again when the origin of url changes";
    throw invalidArgument({ field: "password", description });
  }
}

/** Fills in the state of requests and of the synchronization. */
async function hydrateUpstreams(reader: Reader, all: readonly Upstream[]): Promise<void> {
  const states = await upstreamStates(
    reader,
    all.map(({ uid }) => uid),
  );
  const now = Date.now();
  for (const upstream of all) {
    const state = states.get(upstream.uid);
    if (state !== undefined) upstream.status = statusOf(upstream, state, now);
  }
}

function statusOf(upstream: Upstream, state: UpstreamState, now: number): UpstreamStatus {
  const timed = <Name extends string>(name: Name, ms: number) =>
    (ms === 0 ? {} : { [name]: timestampFromMs(ms) }) as Record<Name, never>;
  const { tags, copied, failed, error } = readSyncResult(state.result);
  return create(UpstreamStatusSchema, {
    ...timed("lastSuccessTime", state.succeeded),
    ...timed("lastErrorTime", state.failed),
    lastError: state.error,
    ...(state.rate >= 0 && { rateLimitRemaining: BigInt(state.rate) }),
    syncState: syncStateOf(upstream, state, now),
    ...timed("lastSyncTime", state.synced),
    ...timed("nextSyncTime", state.due === NEVER_DUE ? 0 : state.due),
    syncTags: BigInt(tags),
    syncCopied: BigInt(copied),
    syncFailed: BigInt(failed),
    syncError: error,
  });
}

/** The state of the synchronization; unspecified for other modes. */
export function syncStateOf({ mode }: Upstream, state: UpstreamState, now: number): SyncState {
  if (mode !== Mode.SYNC) return SyncState.UNSPECIFIED;
  if (state.running > 0) return SyncState.RUNNING;
  if (state.due <= now) return SyncState.QUEUED;
  return state.failures > 0 ? SyncState.FAILED : SyncState.WAITING;
}
