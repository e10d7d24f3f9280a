import type { Run } from "../../command/types.ts";
import { resolveWho } from "../../resolve/identities.ts";
import { ROLE } from "../../resolve/kinds.ts";
import { resolveUid } from "../../resolve/resolve.ts";
import { printList } from "../../resource/print.ts";
import { within } from "../../resource/within.ts";
import { BINDING_COLUMNS, labelOf } from "./columns.ts";
import type { listDefinition } from "./commands.ts";

export const run: Run<typeof listDefinition> = async (context, args) => {
  const [uidp, who, role] = await Promise.all([
    within(context, args),
    args.identity === undefined ? undefined : resolveWho(context, args.identity),
    args.role === undefined ? undefined : resolveUid(context, ROLE, args.role),
  ]);
  const { roleBindings } = await context.client();
  const request = {
    uidp,
    ...(who === undefined ? {} : { identity: who.uid }),
    ...(role === undefined ? {} : { role }),
  };
  await printList(
    context,
    roleBindings.listAll(request, { signal: context.signal }),
    BINDING_COLUMNS,
    { what: "role bindings", label: labelOf },
  );
};
