import type { Run } from "../../command/types.ts";
import { printList } from "../../resource/print.ts";
import { within } from "../../resource/within.ts";
import { ASSOCIATION_COLUMNS } from "./columns.ts";
import type { listDefinition } from "./commands.ts";

export const run: Run<typeof listDefinition> = async (context, args) => {
  const { accountAssociations } = await context.client();
  const uidp = await within(context, args);
  const all = accountAssociations.listAll({ uidp }, { signal: context.signal });
  await printList(context, all, ASSOCIATION_COLUMNS, {
    what: "account associations",
    label: ({ name }) => name,
  });
};
