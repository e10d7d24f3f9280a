import { isDeepStrictEqual } from "node:util";
import { ancestorsOf, depthOf } from "@wharf/contract";
import type { Catalog } from "../engine/catalog.ts";
import { MAX_GROUP_DEPTH } from "../iam/groups.ts";
import type { Transaction } from "../store/db/commit/transaction.ts";
import type { Reader } from "../store/db/connection.ts";

/** The limit of CNCF Distribution. */
const MAX_NAME_LENGTH = 255;

/** The depth of the group tree, and the repo. */
const MAX_SEGMENTS = 33;

/** A path component of the OCI distribution specification. */
const SEGMENT = /^[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*$/;

/** Whether a text is the name of a repository in a registry: at least an organization and a repo. */
export function isRepositoryName(text: string): boolean {
  if (text.length > MAX_NAME_LENGTH) return false;
  const segments = text.split("/");
  return (
    segments.length > 1 &&
    segments.length <= MAX_SEGMENTS &&
    segments.every((segment) => SEGMENT.test(segment))
  );
}

/** The group and repo that the name of a repository resolves to. */
export interface ResolvedPath {
  /** The uid of the deepest existing group on the path. */
  readonly group: string;
  /** The uid of the repo; undefined if it does not exist. */
  readonly repo: string | undefined;
  /** The names of the missing folders between that group and the repo, from the top. */
  readonly missing: readonly string[];
}

const ROOT_UID = /^[0-9a-f]{40}$/;
const CHILD_UID = /^[0-9a-f]{16}$/;

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
): Promise<ResolvedPath | undefined> {
  const [root = "", ...rest] = name.split("/");
  let group = await findOrganization(catalog, reader, root);
  while (group !== undefined) {
    const repo = await findRepo(catalog, reader, group, rest.join("/"));
    if (repo !== undefined) return { group, repo, missing: [] };
    const child =
      rest.length > 1 ? await findFolder(catalog, reader, group, rest[0] as string) : "missing";
    if (child === "missing") return missingRepo(group, rest.slice(0, -1));
    group = child;
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
): Promise<ResolvedPath | undefined> {
  const { groups, repos } = catalog;
  let resolved = await resolvePath(catalog, tx, name);
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
    const locked = await resolvePath(catalog, tx, name);
    if (isDeepStrictEqual(locked, resolved)) return locked;
    resolved = locked;
  }
}

/** A repo that does not exist; undefined if its folders cannot be created. */
function missingRepo(group: string, missing: readonly string[]): ResolvedPath | undefined {
  // A folder must not be named like a uid segment, nor be deeper than the tree allows.
  const isReserved = missing.some((segment) => CHILD_UID.test(segment));
  if (isReserved || depthOf(group) + missing.length > MAX_GROUP_DEPTH) return undefined;
  return { group, repo: undefined, missing };
}

async function findOrganization(
  { groups }: Catalog,
  reader: Reader,
  segment: string,
): Promise<string | undefined> {
  if (ROOT_UID.test(segment)) {
    return (await groups.table.find(reader, segment, "data")) === undefined ? undefined : segment;
  }
  const [named] = await groups.where(reader, { column: "verified_name", value: segment });
  return named?.uid;
}

/** The uid of a folder; "missing" if no folder has the name, undefined if none has the uid. */
async function findFolder(
  { groups }: Catalog,
  reader: Reader,
  parent: string,
  segment: string,
): Promise<string | "missing" | undefined> {
  if (CHILD_UID.test(segment)) {
    const uid = `${parent}/${segment}`;
    return (await groups.table.find(reader, uid, "data")) === undefined ? undefined : uid;
  }
  const [oldest = "missing"] = await groups.table.childrenNamed(reader, parent, segment, 1);
  return oldest;
}

/** Names of repos are unique within a group. */
async function findRepo(
  { repos }: Catalog,
  reader: Reader,
  group: string,
  name: string,
): Promise<string | undefined> {
  return (await repos.table.childrenNamed(reader, group, name, 1))[0];
}
