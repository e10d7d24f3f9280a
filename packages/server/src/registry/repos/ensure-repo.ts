import { create } from "@bufbuild/protobuf";
import { type Repo, RepoSchema } from "@wharf/contract";
import type { Mutation } from "../../engine/mutation.ts";
import { createOne } from "../../engine/write.ts";
import { WharfError } from "../../lib/errors.ts";

/**
 * The repo of a group with this name, made if there is none. It is locked, so that nobody deletes it
 * before the transaction ends.
 *
 * @example const repo = await ensureRepo(change, group, "nginx");
 */
export async function ensureRepo(change: Mutation, group: string, name: string): Promise<Repo> {
  return (await findOrMake(change, group, create(RepoSchema, { name }))).repo;
}

/** How those are refused who come second. */
const TAKEN: readonly string[] = ["ALREADY_EXISTS", "FAILED_PRECONDITION"];

/**
 * The repo of a group with the name of this one, or this one made there.
 *
 * @example const { repo, isNew } = await findOrMake(change, group, given);
 */
export async function findOrMake(
  change: Mutation,
  group: string,
  given: Repo,
): Promise<{ readonly repo: Repo; readonly isNew: boolean }> {
  const { repos } = change.engine.catalog;
  const find = async () => {
    const row = await repos.table.namedForChange(change.tx, group, given.name);
    return row && repos.fromRow(row);
  };
  const known = await find();
  if (known !== undefined) return { repo: known, isNew: false };
  try {
    return { repo: (await createOne(change, repos, group, given)).created, isNew: true };
  } catch (error) {
    // Another replica may have been quicker: then the name is taken, or the last place in the group.
    const mayBeMade = error instanceof WharfError && TAKEN.includes(error.code);
    const made = mayBeMade ? await find() : undefined;
    if (made === undefined) throw error;
    return { repo: made, isNew: false };
  }
}
