import { isUid } from "@wharf/contract";
import type { Context } from "../context.ts";
import { CommandError, EXIT } from "../errors.ts";
import { resolveGroup } from "../resolve/groups.ts";
import { REPO } from "../resolve/kinds.ts";
import { resolve } from "../resolve/resolve.ts";

/** Resolves a resource name to its UID. Prefers groups to repos of the same name. */
export async function resourceUid(context: Context, text: string): Promise<string> {
  if (isUid(text)) return text;
  try {
    return (await resolveGroup(context, text)).uid;
  } catch (error) {
    if (!(error instanceof CommandError) || error.problem.exitCode !== EXIT.notFound) throw error;
    const repo = await resolve(context, REPO, text).catch(() => undefined);
    if (repo === undefined) throw error;
    return repo.uid;
  }
}
