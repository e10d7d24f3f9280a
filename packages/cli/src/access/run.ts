import { capabilityName, isUid } from "@wharf/contract";
import type { Run } from "../command/types.ts";
import type { Context } from "../context.ts";
import { CommandError, EXIT, usageError } from "../errors.ts";
import { readCapability } from "../resolve/capabilities.ts";
import { resolveGroup } from "../resolve/groups.ts";
import { resolveWho } from "../resolve/identities.ts";
import { REPO } from "../resolve/kinds.ts";
import { resolve } from "../resolve/resolve.ts";
import { printTree } from "../resource/print.ts";
import type { listDefinition } from "./commands.ts";
import { gather } from "./gather.ts";
import { ROW_COLUMNS } from "./row.ts";

export const run: Run<typeof listDefinition> = async (context, args) => {
  if (args.resource === undefined && args.identity === undefined) {
    throw usageError("give --resource, --identity or both");
  }
  const capability =
    args.capability === undefined
      ? undefined
      : capabilityName(readCapability("--capability", args.capability));
  const { out, progress } = context;
  await progress("looking who may do what", async () => {
    const [resource, who] = await Promise.all([
      args.resource === undefined ? undefined : resourceUid(context, args.resource),
      args.identity === undefined ? undefined : resolveWho(context, args.identity),
    ]);
    const rows = (await gather(context, { resource, identity: who?.uid }))
      .filter(
        ({ capabilities }) =>
          capability === undefined || capabilities?.includes(capability) !== false,
      )
      .sort((a, b) => a.groupUid.length - b.groupUid.length || a.who.localeCompare(b.who));
    const hidden = new Set(rows.flatMap((row) => (row.capabilities ? [] : [row.role])));
    if (capability !== undefined && hidden.size > 0) {
      context.err.warn(
        `you may not see what these roles can do, so they are shown: ${[...hidden].join(", ")}`,
      );
    }
    const what = "bindings or mappings that give access";
    if (out.format !== "tree") return out.list(rows, ROW_COLUMNS, { what });
    const leaves = rows.map(({ groupUid, who, role, via }, at) => ({
      // A mapping lives below its provider; what it gives, it gives at its scope.
      uid: `${groupUid}/${at.toString(16).padStart(16, "0")}`,
      label: `${who}: ${role} (${via})`,
    }));
    await printTree(context, leaves, what);
  });
};

/** Groups are looked for first; few people name a repo like one. */
async function resourceUid(context: Context, text: string): Promise<string> {
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
