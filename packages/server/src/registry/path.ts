import { depthOf } from "@wharf/contract";
import type { Engine } from "../engine/engine.ts";
import { MAX_GROUP_DEPTH } from "../iam/groups.ts";
import type { Reader } from "../store/db/connection.ts";

/** Where in the tree a repository of a registry is. */
export interface Place {
  /** The uid of the deepest group on its path that exists. */
  readonly group: string;
  /** The uid of the repo, when there is one. */
  readonly repo: string | undefined;
  /** The folders that would have to be made for it, from the top. */
  readonly missing: readonly string[];
}

const ROOT_UID = /^[0-9a-f]{40}$/;
const CHILD_UID = /^[0-9a-f]{16}$/;

/**
 * Finds the place of a repository by its name: `<organisation>/[folders/]<repo>`. The organisation is
 * the uid of one or the name of one that the operator has verified; a folder is its name, or the last
 * part of its uid; of several folders of a name, the oldest. Undefined when the name stands for nothing.
 *
 * The name of a repo may have slashes. Such a repo comes before folders of these names: otherwise
 * whoever may name a folder could name it so that the images of the repo are theirs.
 *
 * @example await placeOf(engine, store.reader, "acme/team/app")
 */
export async function placeOf(
  engine: Engine,
  reader: Reader,
  name: string,
): Promise<Place | undefined> {
  const [root = "", ...rest] = name.split("/");
  let group = await organisation(engine, reader, root);
  while (group !== undefined) {
    const repo = await repoNamed(engine, reader, group, rest.join("/"));
    if (repo !== undefined) return { group, repo, missing: [] };
    const child =
      rest.length > 1 ? await folder(engine, reader, group, rest[0] as string) : "missing";
    if (child === "missing") return toBeMade(group, rest.slice(0, -1));
    group = child;
    rest.shift();
  }
  return undefined;
}

/** The place of a repo that is not there yet, in the deepest group that is. */
function toBeMade(group: string, missing: readonly string[]): Place | undefined {
  // Nobody makes a folder that would look like the uid of another, or one too deep to be made.
  const unmakable = missing.some((segment) => CHILD_UID.test(segment));
  if (unmakable || depthOf(group) + missing.length > MAX_GROUP_DEPTH) return undefined;
  return { group, repo: undefined, missing };
}

async function organisation(
  { catalog: { groups } }: Engine,
  reader: Reader,
  segment: string,
): Promise<string | undefined> {
  if (ROOT_UID.test(segment)) {
    return (await groups.table.find(reader, segment, "data")) === undefined ? undefined : segment;
  }
  const [named] = await groups.where(reader, { column: "verified_name", value: segment });
  return named?.uid;
}

/** Undefined when the uid is nobody's. Of siblings that share a name, the oldest has the path. */
async function folder(
  { catalog: { groups } }: Engine,
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

/** The repo of a group that has a name: no two have the same. */
async function repoNamed(
  { catalog: { repos } }: Engine,
  reader: Reader,
  group: string,
  name: string,
): Promise<string | undefined> {
  return (await repos.table.childrenNamed(reader, group, name, 1))[0];
}
