import type { Run } from "../../command/types.ts";
import type { Context } from "../../context.ts";
import { pickGroup } from "../../resolve/group-choices.ts";
import { resolveGroup } from "../../resolve/groups.ts";
import { resolveRole } from "../../resolve/roles.ts";
import { durationOf } from "../../resource/time.ts";
import { INVITE_COLUMNS } from "./columns.ts";
import type { createDefinition } from "./commands.ts";

export const run: Run<typeof createDefinition> = async (context, args) => {
  const { email = "", singleUse, ttl } = args;
  const { out, err, settings, signal } = context;
  const group = await resolveGroup(context, await groupOf(context, args.group));
  const roleUid = await resolveRole(context, args.role, group.uid);
  const { groupInvites } = await context.client();
  const groupInvite = { roleUid, email, singleUse, ttl: durationOf(ttl) };
  const made = await groupInvites.create({ parent: group.uid, groupInvite }, { signal });
  err.note(`created an invite to ${group.name}; its code is shown this once`);
  err.note(`to accept it: ${settings.issuer}/oauth?invite=${encodeURIComponent(made.code)}`);
  // In a table the code would be cut, and would not be alone on its line.
  if (out.format === "table" && settings.format === undefined) out.text(made.code);
  else await out.one(made, [...INVITE_COLUMNS, { header: "Code", value: ({ code }) => code }]);
};

async function groupOf(context: Context, text: string | undefined): Promise<string> {
  const group = text ?? context.settings.config.get("default.group");
  if (group !== undefined) return group;
  context.prompt.require(
    "GROUP is missing",
    "give an organization or folder, or set default.group",
  );
  return context.prompt.select("GROUP: where to invite to", await pickGroup("group")(context));
}
