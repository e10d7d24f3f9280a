import { create } from "@bufbuild/protobuf";
import { Capability, GroupSchema } from "@wharf/contract";
import { type Caller, OPERATOR } from "../../auth/caller.ts";
import type { Engine } from "../../engine/engine.ts";
import { createOne } from "../../engine/write.ts";
import type { Transaction } from "../../store/db/group-commit.ts";
import { writePlace } from "../../store/tables/registry-locations.ts";
import { type Place, placeOf } from "../path.ts";
import { ensureRepo } from "../repos/ensure-repo.ts";
import { changeFor, type Occasion } from "./system-mutation.ts";

/** The repo that a path of a registry stands for. */
export interface Placed {
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
 * @example const repo = await placeRepo(engine, tx, host, "acme/team/app", occasion);
 */
export async function placeRepo(
  engine: Engine,
  tx: Transaction,
  host: string,
  path: string,
  occasion: Occasion,
): Promise<Placed | undefined> {
  let place = await placeOf(engine, tx, path);
  if (place === undefined) return undefined;
  let { repo } = place;
  let madeFor: string | undefined;
  if (repo === undefined) {
    // Another replica may be making the same folders: the second one finds them.
    if ((await engine.catalog.groups.table.findForChange(tx, place.group)) === undefined)
      return undefined;
    place = await placeOf(engine, tx, path);
    if (place === undefined) return undefined;
    ({ repo } = place);
  }
  const made = repo === undefined;
  if (repo === undefined) {
    const caller = await makerOf(engine, tx, place, occasion.actor);
    if (caller === OPERATOR && occasion.actor !== OPERATOR.uid) madeFor = occasion.actor;
    const actor = caller.uid;
    repo = await make(engine, tx, place, path, { ...occasion, actor }, caller);
  }
  await writePlace(tx, { host, path, repo, made: made ? 1 : 0 });
  return { uid: repo, ...(madeFor !== undefined && { madeFor }) };
}

async function make(
  engine: Engine,
  tx: Transaction,
  { group, missing }: Place,
  path: string,
  occasion: Occasion,
  caller: Caller,
): Promise<string> {
  let parent = group;
  for (const name of missing) {
    const change = changeFor(engine, tx, "group", occasion, caller);
    const input = create(GroupSchema, { name });
    parent = (await createOne(change, engine.catalog.groups, parent, input)).created.uid;
  }
  const name = path.slice(path.lastIndexOf("/") + 1);
  const change = changeFor(engine, tx, "repo", occasion, caller);
  return (await ensureRepo(change, parent, name)).uid;
}

/** Whoever pushed, if they may still make what is missing; the installation otherwise. */
async function makerOf(
  engine: Engine,
  tx: Transaction,
  { group, missing }: Place,
  actor: string,
): Promise<Caller> {
  const grants = await engine.access.grantsOf(actor, tx);
  const needed = [Capability.CAP_REPO_CREATE];
  if (missing.length > 0) needed.push(Capability.CAP_IAM_GROUPS_CREATE);
  if (grants?.holds(needed, group)) return { uid: actor, grants, isOperator: false };
  return OPERATOR;
}
