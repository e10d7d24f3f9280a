import { clone, create } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import {
  Capability,
  CatalogTier,
  isUid,
  parentOf,
  type Repo,
  RepoSchema,
  type SyncConfig,
  SyncConfigSchema,
} from "@wharf/contract";
import type { Mutation } from "../../engine/write/mutation.ts";
import { nextUpdateTime } from "../../engine/write/update-time.ts";
import {
  type FieldViolation,
  failedPrecondition,
  invalidArgument,
  notFound,
} from "../../lib/errors.ts";
import type { RegistryDeps } from "../deps.ts";
import { resolvePath } from "../path.ts";

/*
 * Repos that are synced from another one inherit some fields of it. These are copied when the source
 * changes, so that reading a repo reads one row.
 */

/** The expiry time of a sync that is not renewed. */
const SYNC_LIFETIME_MS = 14 * 24 * 3_600_000;

/** A change of the source updates all repos synced from it in one transaction. */
const MAX_SYNCED_REPOS = 1_000;

const LIST = [Capability.CAP_REPO_LIST];

const INHERITED = ["catalogTier", "bundles", "aliases", "activeTags"] as const;

function isUnset(value: CatalogTier | readonly string[]): boolean {
  return typeof value === "object" ? value.length === 0 : value === CatalogTier.UNSPECIFIED;
}

function isSame(a: Repo, b: Repo, field: (typeof INHERITED)[number]): boolean {
  return JSON.stringify(a[field]) === JSON.stringify(b[field]);
}

/** Copies the inherited fields. */
function inherit(repo: Repo, source: Repo): void {
  const { catalogTier, bundles, aliases, activeTags } = clone(RepoSchema, source);
  Object.assign(repo, { catalogTier, bundles, aliases, activeTags });
}

/** Checks the source of a repo, sets the output-only fields of the sync, and copies inherited fields. */
export async function applySync(
  mutation: Mutation,
  deps: RegistryDeps,
  before: Repo | undefined,
  after: Repo,
): Promise<void> {
  if (after.syncConfig === undefined) return;
  const stored = before?.syncConfig;
  const syncConfig = clone(SyncConfigSchema, after.syncConfig);
  syncConfig.source = await resolveSource(mutation, deps, after, syncConfig.source);
  const isNew = stored?.source !== syncConfig.source;
  const source = isNew
    ? await newSource(mutation, after, syncConfig.source)
    : // The fields inherited from a deleted source stay.
      ((await mutation.deps.catalog.repos.find(mutation.tx, syncConfig.source)) ?? before);
  const kept = mutation.keepsOutputOnly
    ? syncConfig
    : withOutputFields(syncConfig, isNew ? undefined : stored);
  kept.expirationTime ??=
    (isNew ? undefined : stored?.expirationTime) ??
    timestampFromMs(mutation.call.time + SYNC_LIFETIME_MS);
  after.syncConfig = kept;
  rejectOwnValues(after, source as Repo, isNew ? before : undefined);
  inherit(after, source as Repo);
  if (before === undefined && after.description === "") {
    after.description = (source as Repo).description;
  }
}

/** Resolves a source to its uid, from the uid, the path, or the name in the group of the synced repo. */
async function resolveSource(
  { deps, tx, caller }: Mutation,
  { hosts }: RegistryDeps,
  { uid: synced }: Repo,
  named: string,
): Promise<string> {
  if (isUid(named)) return named;
  const host = hosts().find((one) => named.startsWith(`${one}/`));
  const path = host === undefined ? named : named.slice(host.length + 1);
  const { table } = deps.catalog.repos;
  const uid =
    (await resolvePath(deps.catalog, tx, path))?.repo ??
    (await table.childrenNamed(tx, parentOf(synced), named, 1))[0];
  // A repo that the caller may not see is reported as missing.
  if (uid !== undefined && caller.grants.holds(LIST, uid)) return uid;
  throw invalidSource(
    `there is no repo ${JSON.stringify(path)}: source must be a repo's uid or path, or its name in the same group`,
  );
}

async function newSource(mutation: Mutation, repo: Repo, uid: string): Promise<Repo> {
  const { deps, tx } = mutation;
  const { repos } = deps.catalog;
  mutation.mustHold(LIST, uid);
  const row = await repos.table.findToKeep(tx, uid);
  if (row === undefined) throw notFound(repos.typeName, uid);
  const source = repos.fromRow(row);
  if (source.syncConfig !== undefined || uid === repo.uid) {
    throw invalidSource("source must not be synced itself");
  }
  if (await repos.table.hasAny(tx, { column: "sync_source", value: repo.uid })) {
    throw invalidSource("other repos are synced from this one");
  }
  const others = await repos.where(tx, { column: "sync_source", value: uid });
  if (others.length >= MAX_SYNCED_REPOS) {
    const description = `at most ${MAX_SYNCED_REPOS} repos are synced from one`;
    throw failedPrecondition({ type: "TOO_MANY", description });
  }
  return source;
}

function invalidSource(description: string): Error {
  return invalidArgument({ field: "sync_config.source", description });
}

/** Output-only fields stay, or are reset with a new source. */
function withOutputFields(input: SyncConfig, stored: SyncConfig | undefined): SyncConfig {
  const { source, google, amazon, azure } = input;
  const base = clone(SyncConfigSchema, stored ?? create(SyncConfigSchema));
  return Object.assign(base, { source, google, amazon, azure });
}

/** Rejects values for inherited fields, except those that the repo had before its first sync. */
function rejectOwnValues(after: Repo, source: Repo, before: Repo | undefined): void {
  const violations = INHERITED.filter((field) => {
    if (isUnset(after[field]) || isSame(after, source, field)) return false;
    return before === undefined || !isSame(after, before, field);
  }).map((field): FieldViolation => {
    return {
      field,
      description: `${field} is inherited from the repo that this one is synced from`,
    };
  });
  if (violations.length > 0) throw invalidArgument(...violations);
}

/** Copies a change of inherited fields to the repos synced from this one. */
export async function propagateToSynced(
  mutation: Mutation,
  before: Repo,
  after: Repo,
): Promise<void> {
  if (INHERITED.every((field) => isSame(before, after, field))) return;
  const { deps, tx, call } = mutation;
  const { repos } = deps.catalog;
  for (const { uid } of await repos.where(tx, { column: "sync_source", value: after.uid })) {
    const row = await repos.table.findForChange(tx, uid);
    if (row === undefined) continue;
    const synced = repos.fromRow(row);
    if (synced.syncConfig?.source !== after.uid) continue;
    inherit(synced, after);
    synced.updateTime = nextUpdateTime(synced, call.time);
    await mutation.update(repos, synced);
  }
}
