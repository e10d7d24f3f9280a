import type { GroupInvite } from "@wharf/client";
import type { Run } from "../../command/types.ts";
import type { Context } from "../../context.ts";
import { usageError } from "../../errors.ts";
import { deleteAll } from "../../resource/delete.ts";
import { within } from "../../resource/within.ts";
import { labelOf } from "./columns.ts";
import type { deleteDefinition } from "./commands.ts";
import { expiredOf } from "./list.ts";
import { resolveInvite } from "./resolve.ts";

const KIND = { one: "invite", many: "invites" };

export const run: Run<typeof deleteDefinition> = async (context, args) => {
  if (args.expired === args.invites.length > 0) {
    throw usageError("give either INVITES or --expired");
  }
  const found = args.expired
    ? await expired(context, args)
    : await Promise.all(args.invites.map((text) => resolveInvite(context, text)));
  const { groupInvites } = await context.client();
  const doomed = found.map((invite) => ({ uid: invite.uid, label: labelOf(invite) }));
  await deleteAll(context, KIND, doomed, ({ uid }, options) =>
    groupInvites.delete({ uid }, options),
  );
};

async function expired(
  context: Context,
  args: Parameters<typeof within>[1],
): Promise<GroupInvite[]> {
  const { groupInvites } = await context.client();
  const uidp = await within(context, args);
  return Array.fromAsync(expiredOf(groupInvites.listAll({ uidp }, { signal: context.signal })));
}
