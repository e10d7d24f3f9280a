import { depthOf } from "@wharf/contract";
import type { Engine } from "../engine/engine.ts";
import { DEEPEST_GROUP } from "../iam/groups.ts";
import type { Reader } from "../store/connection.ts";

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

/** Enough to know whether a name stands for one thing. */
const TWO = 2;

/**
 * Finds the place of a repository by its name: `<organisation>/[folders/]<repo>`. The organisation is
 * the uid of one or the name of one that the operator has verified; a folder is its name, or the last
 * part of its uid. Undefined when the name stands for nothing, or for several things.
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
  while (group !== undefined && rest.length > 1) {
    const child = await folder(engine, reader, group, rest[0] as string);
    if (child === "missing") break;
    group = child;
    rest.shift();
  }
  return group === undefined ? undefined : within(engine, reader, group, rest);
}

/** The place of what is left of a path in the deepest group that exists. */
async function within(
  engine: Engine,
  reader: Reader,
  group: string,
  rest: readonly string[],
): Promise<Place | undefined> {
  const repos = await findRepos(engine, reader, group, rest.join("/"));
  if (repos.length > 1) return undefined;
  const [repo] = repos;
  const missing = repo === undefined ? rest.slice(0, -1) : [];
  // Nobody makes a folder that would look like the uid of another, or one too deep to be made.
  const unmakable = missing.some((segment) => CHILD_UID.test(segment));
  if (unmakable || depthOf(group) + missing.length > DEEPEST_GROUP) return undefined;
  return { group, repo, missing };
}

async function organisation(
  { groups }: Engine,
  reader: Reader,
  segment: string,
): Promise<string | undefined> {
  if (ROOT_UID.test(segment)) {
    return (await groups.table.find(reader, segment, "data")) === undefined ? undefined : segment;
  }
  const [named] = await groups.where(reader, { column: "verified_name", value: segment });
  return named?.uid;
}

/** Undefined when several have the name, or the uid is nobody's. */
async function folder(
  { groups }: Engine,
  reader: Reader,
  parent: string,
  segment: string,
): Promise<string | "missing" | undefined> {
  if (CHILD_UID.test(segment)) {
    const uid = `${parent}/${segment}`;
    return (await groups.table.find(reader, uid, "data")) === undefined ? undefined : uid;
  }
  const named = await groups.table.childrenNamed(reader, parent, segment, TWO);
  return named.length > 1 ? undefined : (named[0] ?? "missing");
}

/** The repos of a group that have a name; a repo's name may have slashes. */
function findRepos(
  { repos }: Engine,
  reader: Reader,
  group: string,
  name: string,
): Promise<string[]> {
  return repos.table.childrenNamed(reader, group, name, TWO);
}
