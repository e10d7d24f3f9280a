import type { Run } from "../../command/types.ts";
import { printList } from "../../resource/print.ts";
import { within } from "../../resource/within.ts";
import { PROVIDER_COLUMNS } from "./columns.ts";
import type { listDefinition } from "./commands.ts";

export const run: Run<typeof listDefinition> = async (context, args) => {
  const { name } = args;
  const { identityProviders } = await context.client();
  const uidp = await within(context, args);
  const request = { uidp, orderBy: "name", ...(name === undefined ? {} : { name }) };
  const all = identityProviders.listAll(request, { signal: context.signal });
  await printList(context, all, PROVIDER_COLUMNS, {
    what: "identity providers",
    label: (provider) => provider.name,
  });
};
