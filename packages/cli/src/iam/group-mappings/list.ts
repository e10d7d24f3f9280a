import type { Run } from "../../command/types.ts";
import { IDENTITY_PROVIDER } from "../../resolve/kinds.ts";
import { resolveUid } from "../../resolve/resolve.ts";
import { within } from "../../resource/within.ts";
import { mappingColumns } from "./columns.ts";
import type { listDefinition } from "./commands.ts";

export const run: Run<typeof listDefinition> = async (context, args) => {
  const { out, progress, signal } = context;
  const uidp =
    args.provider === undefined
      ? await within(context, args)
      : { childrenOf: await resolveUid(context, IDENTITY_PROVIDER, args.provider) };
  const { externalGroupRoleMappings } = await context.client();
  await progress("listing mappings", async () => {
    const all = await Array.fromAsync(externalGroupRoleMappings.listAll({ uidp }, { signal }));
    await out.list(all, await mappingColumns(context, all), { what: "mappings" });
  });
};
