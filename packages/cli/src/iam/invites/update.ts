import { parentOf } from "@wharf/contract";
import type { Run } from "../../command/types.ts";
import { resolveRole } from "../../resolve/roles.ts";
import { changesOf } from "../../resource/given.ts";
import { durationOf } from "../../resource/time.ts";
import { INVITE_COLUMNS } from "./columns.ts";
import type { updateDefinition } from "./commands.ts";
import { resolveInvite } from "./resolve.ts";

export const run: Run<typeof updateDefinition> = async (context, { invite, role, ttl, email }) => {
  const { uid } = await resolveInvite(context, invite);
  const changes = changesOf(
    {
      roleUid: role === undefined ? undefined : await resolveRole(context, role, parentOf(uid)),
      ttl: ttl === undefined ? undefined : durationOf(ttl),
      email,
    },
    "--role, --ttl or --email",
  );
  const { groupInvites } = await context.client();
  const request = { groupInvite: { uid, ...changes }, updateMask: Object.keys(changes) };
  const updated = await groupInvites.update(request, { signal: context.signal });
  await context.out.one(updated, INVITE_COLUMNS);
};
