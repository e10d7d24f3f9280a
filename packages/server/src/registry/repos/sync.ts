import { clone, create } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import {
  Capability,
  CatalogTier,
  isUid,
  type Repo,
  RepoSchema,
  type SyncConfig,
  SyncConfigSchema,
} from "@wharf/contract";
import type { Mutation } from "../../engine/mutation.ts";
import {
  type FieldViolation,
  failedPrecondition,
  invalidArgument,
  notFound,
} from "../../lib/errors.ts";
import type { RegistryDeps } from "../deps.ts";
import { placeOf } from "../path.ts";

/**
 * Repos whose images come from another one. Some of what they say is then the other's: it is copied
 * when it changes there, so that reading a repo reads one row.
 */

/** How long a sync goes on unless it is renewed. */
const LIFETIME_MS = 14 * 24 * 3_600_000;

/** A change of a repo is a change of all that are synced from it, in one transaction. */
const MOST_SYNCED = 1_000;

const LIST = [Capability.CAP_REPO_LIST];

const INHERITED = ["catalogTier", "bundles", "aliases", "activeTags"] as const;

function isUnset(value: CatalogTier | readonly string[]): boolean {
  return typeof value === "object" ? value.length === 0 : value === CatalogTier.UNSPECIFIED;
}

function isSame(a: Repo, b: Repo, field: (typeof INHERITED)[number]): boolean {
  return JSON.stringify(a[field]) === JSON.stringify(b[field]);
}

/** Gives a repo what it has of another, in place of its own. */
function inherit(repo: Repo, source: Repo): void {
  const { catalogTier, bundles, aliases, activeTags } = clone(RepoSchema, source);
  Object.assign(repo, { catalogTier, bundles, aliases, activeTags });
}

/**
 * Checks what a repo says of its source, fills in what the service sets, and takes over what is the
 * source's.
 *
 * @example await settleSync(change, deps, before, after);
 */
export async function settleSync(
  change: Mutation,
  deps: RegistryDeps,
  before: Repo | undefined,
  after: Repo,
): Promise<void> {
  if (after.syncConfig === undefined) return;
  const known = before?.syncConfig;
  const syncConfig = clone(SyncConfigSchema, after.syncConfig);
  syncConfig.source = await uidOfSource(change, deps, syncConfig.source);
  const isNew = known?.source !== syncConfig.source;
  const source = isNew
    ? await newSource(change, after, syncConfig.source)
    : // A source that was deleted leaves behind what it gave.
      ((await change.engine.catalog.repos.find(change.tx, syncConfig.source)) ?? before);
  after.syncConfig = serviceManaged(syncConfig, isNew ? undefined : known, change.call.time);
  const own = isNew ? before : undefined;
  refuseOwnWords(after, source as Repo, own);
  inherit(after, source as Repo);
  if (before === undefined && after.description === "") {
    after.description = (source as Repo).description;
  }
}

/** The uid of a repo that is named by it, or by its path. */
async function uidOfSource(
  { engine, tx, caller }: Mutation,
  { hosts }: RegistryDeps,
  named: string,
): Promise<string> {
  if (isUid(named)) return named;
  const host = hosts().find((one) => named.startsWith(`${one}/`));
  const path = host === undefined ? named : named.slice(host.length + 1);
  const uid = (await placeOf(engine, tx, path))?.repo;
  // What the caller may not see is for them as if it were not there.
  if (uid !== undefined && caller.grants.holds(LIST, uid)) return uid;
  throw refusal(`there is no repo ${JSON.stringify(path)}: source must be a repo's uid or path`);
}

async function newSource(change: Mutation, repo: Repo, uid: string): Promise<Repo> {
  const { engine, tx } = change;
  const { repos } = engine.catalog;
  change.mustHold(LIST, uid);
  const row = await repos.table.findToKeep(tx, uid);
  if (row === undefined) throw notFound(repos.typeName, uid);
  const source = repos.fromRow(row);
  if (source.syncConfig !== undefined || uid === repo.uid) {
    throw refusal("source must not be synced itself");
  }
  if (await repos.table.hasAny(tx, { column: "sync_source", value: repo.uid })) {
    throw refusal("other repos are synced from this one");
  }
  const others = await repos.where(tx, { column: "sync_source", value: uid });
  if (others.length >= MOST_SYNCED) {
    const description = `at most ${MOST_SYNCED} repos are synced from one`;
    throw failedPrecondition({ type: "TOO_MANY", description });
  }
  return source;
}

function refusal(description: string): Error {
  return invalidArgument({ field: "sync_config.source", description });
}

/** What callers cannot set stays, or begins anew with another source. */
function serviceManaged(given: SyncConfig, known: SyncConfig | undefined, now: number): SyncConfig {
  const { source, google, amazon, azure } = given;
  const set = { source, google, amazon, azure };
  if (known === undefined) {
    const expirationTime = timestampFromMs(now + LIFETIME_MS);
    return create(SyncConfigSchema, { ...set, expirationTime });
  }
  return Object.assign(clone(SyncConfigSchema, known), set);
}

/** Refuses what a caller says where the source has the word. What was there before is passed over. */
function refuseOwnWords(after: Repo, source: Repo, own: Repo | undefined): void {
  const violations = INHERITED.filter((field) => {
    if (isUnset(after[field]) || isSame(after, source, field)) return false;
    return own === undefined || !isSame(after, own, field);
  }).map((field): FieldViolation => {
    return { field, description: `${field} is that of the repo that this one is synced from` };
  });
  if (violations.length > 0) throw invalidArgument(...violations);
}

/**
 * Gives a change of a repo to those that are synced from it.
 *
 * @example await passOn(change, before, after);
 */
export async function passOn(change: Mutation, before: Repo, after: Repo): Promise<void> {
  if (INHERITED.every((field) => isSame(before, after, field))) return;
  const { engine, tx, call } = change;
  const { repos } = engine.catalog;
  for (const { uid } of await repos.where(tx, { column: "sync_source", value: after.uid })) {
    const row = await repos.table.findForChange(tx, uid);
    if (row === undefined) continue;
    const synced = repos.fromRow(row);
    if (synced.syncConfig?.source !== after.uid) continue;
    inherit(synced, after);
    synced.updateTime = timestampFromMs(call.time);
    await change.update(repos, synced);
  }
}
