import type { GroupInvite } from "@wharf/client";
import type { Run } from "../../command/types.ts";
import { printList } from "../../resource/print.ts";
import { isPast } from "../../resource/time.ts";
import { within } from "../../resource/within.ts";
import { INVITE_COLUMNS, labelOf } from "./columns.ts";
import type { listDefinition } from "./commands.ts";

export const run: Run<typeof listDefinition> = async (context, args) => {
  const { groupInvites } = await context.client();
  const uidp = await within(context, args);
  const all = groupInvites.listAll({ uidp }, { signal: context.signal });
  await printList(context, args.expired ? expiredOf(all) : all, INVITE_COLUMNS, {
    what: "invites",
    label: labelOf,
  });
};

/** Those that can no longer be accepted. */
export async function* expiredOf(invites: AsyncIterable<GroupInvite>): AsyncIterable<GroupInvite> {
  for await (const invite of invites) if (isPast(invite.expirationTime)) yield invite;
}
