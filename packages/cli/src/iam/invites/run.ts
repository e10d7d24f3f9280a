import type { GroupInvite } from "@wharf/client";
import { isUid, parentOf } from "@wharf/contract";
import type { Run } from "../../command/types.ts";
import type { Context } from "../../context.ts";
import { notFound } from "../../errors.ts";
import { type Column, UID } from "../../output/columns.ts";
import { pickOf } from "../../resolve/choices.ts";
import { resolveGroup, resolveScope } from "../../resolve/groups.ts";
import { GROUP, INVITE } from "../../resolve/kinds.ts";
import { resolveRole } from "../../resolve/resolve.ts";
import type { FilterArgs } from "../../resource/commands.ts";
import { withGroup } from "../../resource/group-column.ts";
import type { Resource } from "../../resource/run.ts";
import { updater } from "../../resource/update.ts";
import { definedFields, durationOf, isPast } from "../../resource/values.ts";
import type { createDefinition, FILTERS } from "./commands.ts";
import { updateDefinition } from "./commands.ts";

const COLUMNS: readonly Column<GroupInvite>[] = [
  { header: "E-mail", value: ({ email }) => email },
  { header: "Role", value: ({ role, roleUid }) => role?.name ?? roleUid },
  { header: "Single use", value: ({ singleUse }) => (singleUse ? "yes" : "no") },
  { header: "Expires", value: ({ expirationTime }) => expirationTime },
  {
    header: "Expired",
    value: ({ expirationTime }) => (isPast(expirationTime) ? "yes" : "no"),
    wide: true,
  },
  UID,
  { header: "Key ID", value: ({ keyId }) => keyId, wide: true },
  { header: "Role UID", value: ({ roleUid }) => roleUid, wide: true },
  { header: "Created", value: ({ createTime }) => createTime, wide: true },
];

export const resource: Resource<GroupInvite, FilterArgs<typeof FILTERS>> = {
  kind: INVITE,
  columns: withGroup(COLUMNS, 2),
  details: COLUMNS,
  find: findInvite,
  async select(context, args) {
    const { groupInvites } = await context.client();
    const uidp = await resolveScope(context, args);
    const request = { uidp, ...definedFields({ orderBy: args.orderBy }) };
    return groupInvites.listAll(request, { signal: context.signal });
  },
  isExpired: ({ expirationTime }) => isPast(expirationTime),
};

/** Finds an invite by its UID or by the key ID of its code. */
async function findInvite(context: Context, text: string): Promise<GroupInvite> {
  const { groupInvites } = await context.client();
  const { signal } = context;
  if (isUid(text)) return groupInvites.get({ uid: text }, { signal });
  const [found] = (await groupInvites.list({ keyId: text }, { signal })).groupInvites;
  if (found !== undefined) return found;
  throw notFound(
    `no invite has the UID or key ID "${text}"`,
    "`wharf iam invites list -o wide` shows both",
  );
}

export const create: Run<typeof createDefinition> = async (context, args) => {
  const { email = "", singleUse, ttl } = args;
  const { out, err, settings, signal } = context;
  const group = await resolveGroup(context, await groupOf(context, args.group));
  const roleUid = await resolveRole(context, args.role, group.uid);
  const { groupInvites } = await context.client();
  const groupInvite = { roleUid, email, singleUse, ttl: durationOf(ttl) };
  const created = await groupInvites.create({ parent: group.uid, groupInvite }, { signal });
  err.note(`created an invite to ${group.name}; the code is shown only once`);
  err.note(
    `link to accept it: ${settings.issuer}/oauth?invite=${encodeURIComponent(created.code)}`,
  );
  // A table would truncate the code; alone on its line, scripts can read it.
  if (out.format === "table") return out.text(created.code);
  await out.one(created, [...COLUMNS, { header: "Code", value: ({ code }) => code }]);
};

async function groupOf(context: Context, text: string | undefined): Promise<string> {
  const group = text ?? context.settings.config.get("default.group");
  if (group !== undefined) return group;
  context.prompt.require(
    "GROUP is missing",
    "give an organization or folder, or set default.group",
  );
  return context.prompt.select("GROUP: group to join", await pickOf(GROUP)(context));
}

export const update = updater(updateDefinition, {
  resource,
  find: findInvite,
  fields: {
    roleUid: ({ args: { role }, context, current }) =>
      role === undefined ? undefined : resolveRole(context, role, parentOf(current.uid)),
    ttl: ({ args: { ttl } }) => (ttl === undefined ? undefined : durationOf(ttl)),
    email: "email",
  },
  send: ({ groupInvites }, groupInvite, updateMask, options) =>
    groupInvites.update({ groupInvite, updateMask }, options),
});
