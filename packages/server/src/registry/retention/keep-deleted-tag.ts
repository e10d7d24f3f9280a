import type { Mutation } from "../../engine/write/mutation.ts";
import { addDeletedTag } from "../../store/tables/registry/retention.ts";
import { effectivePolicy, restoreMs } from "./effective-policy.ts";

/** Keeps a tag that is being deleted, so that it can be restored, unless its image is deleted as well. */
export async function keepDeletedTag(
  mutation: Mutation,
  repo: string,
  { name, digest }: { readonly name: string; readonly digest: string },
  deleted: number,
): Promise<void> {
  const { tx, deps, actor, actorName } = mutation;
  const restorable = restoreMs(await effectivePolicy(deps.catalog, tx, repo));
  if (restorable === 0) return;
  const expires = deleted + restorable;
  await addDeletedTag(tx, repo, { name, digest, deleted, expires, actor, actorName });
}
