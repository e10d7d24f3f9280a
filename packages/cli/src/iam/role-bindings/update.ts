import { parentOf } from "@wharf/contract";
import type { Run } from "../../command/types.ts";
import { resolveWho } from "../../resolve/identities.ts";
import { resolveRole } from "../../resolve/roles.ts";
import { mustBeUid } from "../../resolve/uid.ts";
import { changesOf } from "../../resource/given.ts";
import { BINDING_COLUMNS } from "./columns.ts";
import type { updateDefinition } from "./commands.ts";

export const run: Run<typeof updateDefinition> = async (context, { binding, identity, role }) => {
  mustBeUid("BINDING", binding);
  const changes = changesOf(
    {
      identityUid: identity === undefined ? undefined : (await resolveWho(context, identity)).uid,
      roleUid: role === undefined ? undefined : await resolveRole(context, role, parentOf(binding)),
    },
    "--identity or --role",
  );
  const { roleBindings } = await context.client();
  const request = { roleBinding: { uid: binding, ...changes }, updateMask: Object.keys(changes) };
  const updated = await roleBindings.update(request, { signal: context.signal });
  await context.out.one(updated, BINDING_COLUMNS);
};
