import type { Context } from "../context.ts";
import { usageError } from "../errors.ts";
import { resolveParent } from "./groups.ts";
import { REPO } from "./kinds.ts";
import { resolveUid } from "./resolve.ts";

/** The uid of the group or repo of something new, by the options --parent and --repo. */
export async function resolveGroupOrRepo(
  context: Context,
  { repo, parent }: { readonly repo: string | undefined; readonly parent: string | undefined },
): Promise<string> {
  if (repo !== undefined) return resolveUid(context, REPO, repo);
  if (parent !== undefined) return (await resolveParent(context, parent)).uid;
  throw usageError("give --parent or --repo");
}
