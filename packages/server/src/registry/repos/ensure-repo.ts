import { create } from "@bufbuild/protobuf";
import { type Repo, RepoSchema } from "@wharf/contract";
import type { Mutation } from "../../engine/write/mutation.ts";
import { createOne } from "../../engine/write/write.ts";
import { WharfError } from "../../lib/errors.ts";

/** Finds or creates a repo by name, and locks it until the transaction ends. */
export async function ensureRepo(mutation: Mutation, group: string, name: string): Promise<Repo> {
  return (await findOrCreateRepo(mutation, group, create(RepoSchema, { name }))).repo;
}

/** Errors of a creation that lost a race: the name is taken, or the quota used up. */
const CONFLICT_CODES: readonly string[] = ["ALREADY_EXISTS", "FAILED_PRECONDITION"];

/** Finds the repo of this name in its group, or creates it. */
export async function findOrCreateRepo(
  mutation: Mutation,
  group: string,
  requested: Repo,
): Promise<{ readonly repo: Repo; readonly isNew: boolean }> {
  const { repos } = mutation.deps.catalog;
  const find = async () => {
    const row = await repos.table.namedForChange(mutation.tx, group, requested.name);
    return row && repos.fromRow(row);
  };
  const existing = await find();
  if (existing !== undefined) return { repo: existing, isNew: false };
  try {
    return { repo: (await createOne(mutation, repos, group, requested)).created, isNew: true };
  } catch (error) {
    // Another replica may have created it concurrently.
    const isConflict = error instanceof WharfError && CONFLICT_CODES.includes(error.code);
    const created = isConflict ? await find() : undefined;
    if (created === undefined) throw error;
    return { repo: created, isNew: false };
  }
}
