import { parentOf } from "@wharf/contract";
import type { Run } from "../../command/types.ts";
import type { Context } from "../../context.ts";
import { usageError } from "../../errors.ts";
import { IDENTITY_PROVIDER } from "../../resolve/kinds.ts";
import { resolve } from "../../resolve/resolve.ts";
import { mustBeUid } from "../../resolve/uid.ts";
import type { deleteDefinition } from "./commands.ts";

/** As many as the server takes at once. */
const AT_ONCE = 25;

export const run: Run<typeof deleteDefinition> = async (context, args) => {
  const { all, mappings, provider } = args;
  if (all === mappings.length > 0 || all !== (provider !== undefined)) {
    throw usageError("give either MAPPINGS, or --all with --provider");
  }
  for (const uid of mappings) mustBeUid("MAPPINGS", uid);
  const uids = provider === undefined ? mappings : await allOf(context, provider);
  if (uids.length === 0) return context.err.note("no mappings to delete");
  await context.confirm(
    `Delete ${uids.length === 1 ? `mapping ${uids[0]}` : `${uids.length} mappings`}?`,
  );
  const { externalGroupRoleMappings } = await context.client();
  let gone = 0;
  for (const [parent, names] of Map.groupBy(uids, parentOf)) {
    for (let at = 0; at < names.length; at += AT_ONCE) {
      const request = { parent, names: names.slice(at, at + AT_ONCE) };
      const answer = await externalGroupRoleMappings.batchDelete(request, {
        signal: context.signal,
      });
      gone += answer.externalGroupRoleMappings.length;
    }
  }
  context.err.note(`deleted ${gone} mapping${gone === 1 ? "" : "s"}`);
};

async function allOf(context: Context, provider: string): Promise<string[]> {
  const { uid } = await resolve(context, IDENTITY_PROVIDER, provider);
  const { externalGroupRoleMappings } = await context.client();
  const request = { uidp: { childrenOf: uid } };
  const found = externalGroupRoleMappings.listAll(request, { signal: context.signal });
  return Array.fromAsync(found, (mapping) => mapping.uid);
}
