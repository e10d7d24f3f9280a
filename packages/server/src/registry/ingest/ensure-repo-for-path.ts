import { create } from "@bufbuild/protobuf";
import { Capability, GroupSchema } from "@wharf/contract";
import { type Caller, OPERATOR } from "../../auth/caller.ts";
import type { Engine } from "../../engine/engine.ts";
import { createOne } from "../../engine/write.ts";
import type { Transaction } from "../../store/db/group-commit.ts";
import { writePlace } from "../../store/tables/registry-locations.ts";
import { type ResolvedPath, resolvePath } from "../path.ts";
import { ensureRepo } from "../repos/ensure-repo.ts";
import { type MutationOrigin, systemMutation } from "./system-mutation.ts";

/** The repo that a path of a registry stands for. */
export interface EnsuredRepo {
  readonly uid: string;
  /** Set where whoever pushed may no longer make what was missing, and the installation did. */
  readonly madeFor?: string;
}

/**
 * The repo of a path, made with the folders above it where they are missing: as whoever pushed, if
 * they may, or else as the installation. The registry let them push, so what they pushed is there
 * either way; making its place here gives nobody anything. Undefined for paths that stand for
 * nothing of ours.
 *
 * @example const repo = await ensureRepoForPath(engine, tx, host, "acme/team/app", origin);
 */
export async function ensureRepoForPath(
  engine: Engine,
  tx: Transaction,
  host: string,
  path: string,
  origin: MutationOrigin,
): Promise<EnsuredRepo | undefined> {
  let place = await resolvePath(engine, tx, path);
  if (place === undefined) return undefined;
  let { repo } = place;
  let madeFor: string | undefined;
  if (repo === undefined) {
    // Another replica may be making the same folders: the second one finds them.
    if ((await engine.groups.table.findForChange(tx, place.group)) === undefined) return undefined;
    place = await resolvePath(engine, tx, path);
    if (place === undefined) return undefined;
    ({ repo } = place);
  }
  const made = repo === undefined;
  if (repo === undefined) {
    const caller = await makerOf(engine, tx, place, origin.actor);
    if (caller === OPERATOR && origin.actor !== OPERATOR.uid) madeFor = origin.actor;
    const actor = caller.uid;
    repo = await make(engine, tx, place, path, { ...origin, actor }, caller);
  }
  await writePlace(tx, { host, path, repo, made: made ? 1 : 0 });
  return { uid: repo, ...(madeFor !== undefined && { madeFor }) };
}

async function make(
  engine: Engine,
  tx: Transaction,
  { group, missing }: ResolvedPath,
  path: string,
  origin: MutationOrigin,
  caller: Caller,
): Promise<string> {
  let parent = group;
  for (const name of missing) {
    const change = systemMutation(engine, tx, "group", origin, caller);
    const input = create(GroupSchema, { name });
    parent = (await createOne(change, engine.groups, parent, input)).created.uid;
  }
  const name = path.slice(path.lastIndexOf("/") + 1);
  const change = systemMutation(engine, tx, "repo", origin, caller);
  return (await ensureRepo(change, parent, name)).uid;
}

/** Whoever pushed, if they may still make what is missing; the installation otherwise. */
async function makerOf(
  engine: Engine,
  tx: Transaction,
  { group, missing }: ResolvedPath,
  actor: string,
): Promise<Caller> {
  const grants = await engine.grantsOf(actor, tx);
  const needed = [Capability.CAP_REPO_CREATE];
  if (missing.length > 0) needed.push(Capability.CAP_IAM_GROUPS_CREATE);
  if (grants?.holds(needed, group)) return { uid: actor, grants, isOperator: false };
  return OPERATOR;
}
