import { create } from "@bufbuild/protobuf";
import { Capability, GroupSchema } from "@wharf/contract";
import type { Access } from "../../auth/access.ts";
import { type Caller, OPERATOR } from "../../auth/caller.ts";
import type { WriteDeps } from "../../engine/write/mutation.ts";
import { createOne } from "../../engine/write/write.ts";
import type { Transaction } from "../../store/db/commit/transaction.ts";
import { OWN_HOST, writeLocation } from "../../store/tables/registry/locations.ts";
import { clearRepoDeletion } from "../../store/tables/registry/repo-deletions.ts";
import { lockPath, type ResolvedPath } from "../path.ts";
import { ensureRepo } from "../repos/ensure-repo.ts";
import { type MutationOrigin, systemMutation } from "./system-mutation.ts";

export interface EnsuredRepo {
  readonly uid: string;
  /** Whether the installation created the repo because the pusher may not, or no longer. */
  readonly isCreatedBySystem: boolean;
}

/**
 * Finds the repo of a path, locks it, and stores the path as its location. Creates a missing repo and its missing
 * folders: as the pusher if they may, else as the installation. The registry accepted the push, so the
 * images exist either way, and creating the repo grants nothing. Returns undefined if the path resolves
 * to nothing here.
 */
export async function ensureRepoForPath(
  deps: WriteDeps,
  tx: Transaction,
  host: string,
  name: string,
  origin: MutationOrigin,
): Promise<EnsuredRepo | undefined> {
  const resolved = await lockPath(deps.catalog, tx, name, { followsRenames: host === OWN_HOST });
  if (resolved === undefined) return undefined;
  const { repo, renamedTo: path = name } = resolved;
  await clearRepoDeletion(tx, host, path);
  if (repo !== undefined) {
    await writeLocation(tx, { host, path, repo, made: 0 });
    return { uid: repo, isCreatedBySystem: false };
  }
  const creator = await creatorOf(deps.access, tx, resolved, origin.actor);
  const isCreatedBySystem = creator === OPERATOR && origin.actor !== OPERATOR.uid;
  const creation = { ...origin, actor: creator.uid };
  const uid = await createMissing(deps, tx, resolved, path, creation, creator);
  await writeLocation(tx, { host, path, repo: uid, made: 1 });
  return { uid, isCreatedBySystem };
}

async function createMissing(
  deps: WriteDeps,
  tx: Transaction,
  { group, missing }: ResolvedPath,
  path: string,
  origin: MutationOrigin,
  caller: Caller,
): Promise<string> {
  let parent = group;
  for (const name of missing) {
    const mutation = systemMutation(deps, tx, "group", origin, caller);
    const input = create(GroupSchema, { name });
    parent = (await createOne(mutation, deps.catalog.groups, parent, input)).created.uid;
  }
  const name = path.slice(path.lastIndexOf("/") + 1);
  const mutation = systemMutation(deps, tx, "repo", origin, caller);
  return (await ensureRepo(mutation, parent, name)).uid;
}

/** The pusher if they still hold the needed capabilities; the installation otherwise. */
async function creatorOf(
  access: Access,
  tx: Transaction,
  { group, missing }: ResolvedPath,
  actor: string,
): Promise<Caller> {
  const grants = await access.grantsOf(actor, tx);
  const needed = [Capability.CAP_REPO_CREATE];
  if (missing.length > 0) needed.push(Capability.CAP_IAM_GROUPS_CREATE);
  if (grants?.holds(needed, group)) return { uid: actor, grants, isOperator: false };
  return OPERATOR;
}
