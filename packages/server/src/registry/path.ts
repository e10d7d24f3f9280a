import { isDeepStrictEqual } from "node:util";
import { ancestorsOf, depthOf, isRoot } from "@wharf/contract";
import type { Catalog } from "../engine/catalog.ts";
import { MAX_GROUP_DEPTH } from "../iam/groups.ts";
import { isPathSegment, isUidSegment, segmentOf } from "../lib/path-segment.ts";
import type { Transaction } from "../store/db/commit/transaction.ts";
import type { Reader } from "../store/db/connection.ts";
import { findAlias, type PathName } from "../store/tables/registry/path-aliases.ts";

/** The limit of CNCF Distribution. */
const MAX_NAME_LENGTH = 255;

/** The depth of the group tree, and the repo. */
const MAX_SEGMENTS = 33;

/** Whether a text is the name of a repository in a registry: at least an organization and a repo. */
export function isRepositoryName(text: string): boolean {
  if (text.length > MAX_NAME_LENGTH) return false;
  const segments = text.split("/");
  return segments.length > 1 && segments.length <= MAX_SEGMENTS && segments.every(isPathSegment);
}

/** The group and repo that the name of a repository resolves to. */
export interface ResolvedPath {
  /** The uid of the deepest existing group on the path. */
  readonly group: string;
  /** The uid of the repo; undefined if it does not exist. */
  readonly repo: string | undefined;
  /** The names of the missing folders between that group and the repo, from the top. */
  readonly missing: readonly string[];
  /** The current path, if the name has a former name of a folder or repo. */
  readonly renamedTo?: string;
}

export interface PathOptions {
  /**
   * Whether former names lead to what was renamed. They do in the registry of this server; an attached one stores images by
   * path, and the path is free again later.
   */
  readonly followsRenames?: boolean;
}

const ROOT_UID = /^[0-9a-f]{40}$/;

/** A group or repo on a path, and its current segment. */
interface Step {
  readonly uid: string;
  readonly segment: string;
}

/**
 * Resolves the name of a repository, `<organization>/[folders/]<repo>`. The organization is a uid, or a
 * name that the operator has verified. A folder is a name, or the last segment of its uid; of several
 * folders with one name, the oldest counts. Returns undefined if the name cannot be that of a repo here.
 *
 * Names of repos may contain slashes. Such a repo takes precedence over folders of these names:
 * otherwise a user who may create folders could capture the images of the repo.
 */
export async function resolvePath(
  catalog: Catalog,
  reader: Reader,
  name: string,
  { followsRenames = false }: PathOptions = {},
): Promise<ResolvedPath | undefined> {
  const [root = "", ...rest] = name.split("/");
  let step = await findOrganization(catalog, reader, root);
  const current: string[] = [];
  const resolved = (group: string, repo: string | undefined, last: readonly string[]) => {
    const missing = repo === undefined ? last.slice(0, -1) : [];
    const renamedTo = [...current, ...last].join("/");
    if (renamedTo === name) return { group, repo, missing };
    return followsRenames ? { group, repo, missing, renamedTo } : undefined;
  };
  while (step !== undefined) {
    const group = step.uid;
    current.push(step.segment);
    const repo = await findRepo(catalog, reader, group, rest.join("/"));
    if (repo !== undefined) return resolved(group, repo.uid, [repo.segment]);
    const child =
      rest.length > 1 ? await findFolder(catalog, reader, group, rest[0] as string) : "missing";
    if (child === "missing")
      return canBeCreated(group, rest.slice(0, -1)) ? resolved(group, undefined, rest) : undefined;
    step = child;
    rest.shift();
  }
  return undefined;
}

/**
 * Like `resolvePath`, and locks what the path resolves to until the transaction ends: nothing on it is
 * renamed or deleted meanwhile, and the repo, or else the group that gets it, is changed by nobody else.
 */
export async function lockPath(
  catalog: Catalog,
  tx: Transaction,
  name: string,
  options?: PathOptions,
): Promise<ResolvedPath | undefined> {
  const { groups, repos } = catalog;
  let resolved = await resolvePath(catalog, tx, name, options);
  for (;;) {
    if (resolved === undefined) return undefined;
    const { group, repo } = resolved;
    for (const uid of ancestorsOf(group)) await groups.table.keep(tx, uid);
    if (repo === undefined) await groups.table.findForChange(tx, group);
    else {
      await groups.table.keep(tx, group);
      await repos.table.findForChange(tx, repo);
    }
    // Another replica may have changed the path before it was locked.
    const locked = await resolvePath(catalog, tx, name, options);
    if (isDeepStrictEqual(locked, resolved)) return locked;
    resolved = locked;
  }
}

/** Whether missing folders can be created: none is named like a uid segment, or deeper than the tree allows. */
function canBeCreated(group: string, missing: readonly string[]): boolean {
  return !missing.some(isUidSegment) && depthOf(group) + missing.length <= MAX_GROUP_DEPTH;
}

async function findOrganization(
  catalog: Catalog,
  reader: Reader,
  segment: string,
): Promise<Step | undefined> {
  const { groups } = catalog;
  if (ROOT_UID.test(segment)) {
    const row = await groups.table.find(reader, segment, "data");
    return row && { uid: segment, segment };
  }
  const [named] = await groups.where(reader, { column: "verified_name", value: segment });
  if (named !== undefined) return { uid: named.uid, segment };
  return findRenamed(catalog, reader, { parent: "", kind: "folder", name: segment });
}

/** A folder; "missing" if no folder has the name, undefined if none has the uid. */
async function findFolder(
  catalog: Catalog,
  reader: Reader,
  parent: string,
  segment: string,
): Promise<Step | "missing" | undefined> {
  const { groups } = catalog;
  if (isUidSegment(segment)) {
    const uid = `${parent}/${segment}`;
    return (await groups.table.find(reader, uid, "data")) && { uid, segment };
  }
  const [oldest] = await groups.table.childrenNamed(reader, parent, segment, 1);
  if (oldest !== undefined) return { uid: oldest, segment };
  const former = { parent, kind: "folder", name: segment } as const;
  return (await findRenamed(catalog, reader, former)) ?? "missing";
}

/** Names of repos are unique within a group. */
async function findRepo(
  catalog: Catalog,
  reader: Reader,
  group: string,
  name: string,
): Promise<Step | undefined> {
  const [uid] = await catalog.repos.table.childrenNamed(reader, group, name, 1);
  if (uid !== undefined) return { uid, segment: name };
  // Repos with images are renamed only if neither name has a slash.
  if (name.includes("/")) return undefined;
  return findRenamed(catalog, reader, { parent: group, kind: "repo", name });
}

/** The folder or repo that had this name. */
async function findRenamed(
  { groups, repos }: Catalog,
  reader: Reader,
  former: PathName,
): Promise<Step | undefined> {
  const { target = "" } = (await findAlias(reader, former, Date.now())) ?? {};
  if (target === "") return undefined;
  if (former.kind === "repo") {
    const repo = await repos.find(reader, target);
    return repo && { uid: target, segment: repo.name };
  }
  const group = await groups.find(reader, target);
  if (group === undefined) return undefined;
  const hasName = !isRoot(target) || group.verified;
  return { uid: target, segment: hasName ? segmentOf(group) : target };
}
