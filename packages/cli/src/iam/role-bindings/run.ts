import type { RoleBinding } from "@wharf/client";
import { parentOf } from "@wharf/contract";
import type { Run } from "../../command/types.ts";
import type { Context } from "../../context.ts";
import { usageError } from "../../errors.ts";
import { isObject } from "../../is-object.ts";
import { type Column, UID } from "../../output/columns.ts";
import { problemOf } from "../../problem.ts";
import { resolveGroup, resolveScope } from "../../resolve/groups.ts";
import { ROLE, ROLE_BINDING, roleOf, subjectOf } from "../../resolve/kinds.ts";
import { requireUid, resolveIdentity, resolveRole, resolveUid } from "../../resolve/resolve.ts";
import type { FilterArgs } from "../../resource/commands.ts";
import { withGroup } from "../../resource/group-column.ts";
import { printOne, type Resource } from "../../resource/run.ts";
import { confirmTwins } from "../../resource/twins.ts";
import { updater } from "../../resource/update.ts";
import { definedFields, readDocument } from "../../resource/values.ts";
import type { createDefinition, FILTERS } from "./commands.ts";
import { updateDefinition } from "./commands.ts";

const COLUMNS: readonly Column<RoleBinding>[] = [
  { header: "Identity", value: subjectOf },
  { header: "Role", value: roleOf },
  { header: "Created", value: ({ createTime }) => createTime },
  UID,
  { header: "Identity UID", value: ({ identityUid }) => identityUid, wide: true },
  { header: "Role UID", value: ({ roleUid }) => roleUid, wide: true },
  { header: "Group UID", value: ({ group }) => group?.uid, wide: true },
  { header: "Issuer", value: ({ identity }) => identity?.issuer, wide: true },
  { header: "Subject", value: ({ identity }) => identity?.subject, wide: true },
];

const columns = withGroup(COLUMNS, 2);

export const resource: Resource<RoleBinding, FilterArgs<typeof FILTERS>> = {
  kind: ROLE_BINDING,
  columns,
  async find({ client, signal }, uid) {
    requireUid("BINDING", uid);
    return (await client()).roleBindings.get({ uid }, { signal });
  },
  async findToDelete(context, uid) {
    requireUid("BINDINGS", uid);
    try {
      const { roleBindings } = await context.client();
      const binding = await roleBindings.get({ uid }, { signal: context.signal });
      const warning = (await isOwn(context, binding)) && lossOf(binding);
      return { uid, label: ROLE_BINDING.label(binding), ...(warning && { warning }) };
    } catch (error) {
      // Deleting takes no permission to list.
      if (problemOf(error).code !== "PERMISSION_DENIED") throw error;
      return { uid, label: uid };
    }
  },
  async select(context, args) {
    const [uidp, identity, role] = await Promise.all([
      resolveScope(context, args),
      args.identity === undefined ? undefined : resolveIdentity(context, args.identity),
      args.role === undefined ? undefined : resolveUid(context, ROLE, args.role),
    ]);
    const { roleBindings } = await context.client();
    const { orderBy } = args;
    const request = { uidp, ...definedFields({ identity: identity?.uid, role, orderBy }) };
    return roleBindings.listAll(request, { signal: context.signal });
  },
};

/** Whether a binding is that of the caller. Skipped without confirmation. */
async function isOwn(
  { client, settings, signal }: Context,
  { identityUid }: RoleBinding,
): Promise<boolean> {
  if (settings.yes || settings.dryRun) return false;
  const { auth } = await client();
  return (await auth.validate({}, { signal })).subject === identityUid;
}

function lossOf({ uid, group }: RoleBinding): string {
  return `You will lose access to ${group?.name ?? parentOf(uid)}, unless another role grants it.`;
}

export const update = updater(updateDefinition, {
  resource,
  async find(_context: Context, uid: string) {
    requireUid("BINDING", uid);
    return { uid };
  },
  fields: {
    identityUid: async ({ args: { identity }, context }) =>
      identity === undefined ? undefined : (await resolveIdentity(context, identity)).uid,
    roleUid: ({ args: { role }, context, current }) =>
      role === undefined ? undefined : resolveRole(context, role, parentOf(current.uid)),
  },
  send: ({ roleBindings }, roleBinding, updateMask, options) =>
    roleBindings.update({ roleBinding, updateMask }, options),
});

export const create: Run<typeof createDefinition> = async (context, args) => {
  const entries =
    args.file === undefined ? entriesOf(args.identity, args.role) : await readEntries(args);
  const { uid, name } = await resolveGroup(context, args.parent);
  const bindings = await resolveAll(context, entries, uid);
  await confirmTwins(context, name, () => twinsOf(context, uid, bindings));
  const created = await createAll(context, uid, bindings);
  const many = created.length > 1 ? "s" : "";
  context.err.note(`created ${created.length} role binding${many} in ${name}`);
  const [first, second] = created;
  if (first !== undefined && second === undefined) await printOne(context, resource, first);
  else await context.out.list(created, await columns(context, created));
};

interface Entry {
  readonly identity: string;
  readonly role: string;
}

function entriesOf(identity: string | undefined, roles: readonly string[]): Entry[] {
  if (identity === undefined || roles.length === 0) {
    throw usageError("--identity and --role are missing", "give both, or --file");
  }
  return roles.map((role) => ({ identity, role }));
}

async function readEntries({
  identity,
  role,
  file = "",
}: Pick<Parameters<typeof create>[1], "identity" | "role" | "file">): Promise<Entry[]> {
  if (identity !== undefined || role.length > 0) {
    throw usageError("--file excludes --identity and --role");
  }
  const document = await readDocument("--file", file);
  const list = isObject(document) && "items" in document ? document.items : document;
  if (!Array.isArray(list) || list.length === 0) {
    throw usageError("--file must contain a list", "such as: - {identity: ci, role: viewer}");
  }
  return list.map((entry, index) => {
    if (isObject(entry) && typeof entry.identity === "string" && typeof entry.role === "string") {
      return { identity: entry.identity, role: entry.role };
    }
    throw usageError(`--file: entry ${index + 1} needs an identity and a role`);
  });
}

/** Resolves everything before anything is created, each name once. */
async function resolveAll(context: Context, entries: readonly Entry[], group: string) {
  const identities = await resolveEach(
    entries.map(({ identity }) => identity),
    async (identity) => (await resolveIdentity(context, identity)).uid,
  );
  const roles = await resolveEach(
    entries.map(({ role }) => role),
    (role) => resolveRole(context, role, group),
  );
  return entries.map(({ identity, role }) => ({
    identityUid: identities.get(identity) as string,
    roleUid: roles.get(role) as string,
  }));
}

async function resolveEach(
  texts: readonly string[],
  uidOf: (text: string) => Promise<string>,
): Promise<ReadonlyMap<string, string>> {
  const uids = new Map<string, string>();
  for (const text of new Set(texts)) uids.set(text, await uidOf(text));
  return uids;
}

/** The bindings of a group that have the identity and the role of new ones. */
async function twinsOf(
  context: Context,
  group: string,
  bindings: readonly { identityUid: string; roleUid: string }[],
): Promise<string[]> {
  const { roleBindings } = await context.client();
  const [first] = bindings;
  const isOne = bindings.every(({ identityUid }) => identityUid === first?.identityUid);
  const request = {
    uidp: { childrenOf: group },
    ...(isOne ? definedFields({ identity: first?.identityUid }) : {}),
  };
  const requestedKeys = new Set(
    bindings.map(({ identityUid, roleUid }) => `${identityUid} ${roleUid}`),
  );
  const twins: string[] = [];
  for await (const binding of roleBindings.listAll(request, { signal: context.signal })) {
    if (!requestedKeys.has(`${binding.identityUid} ${binding.roleUid}`)) continue;
    twins.push(`role binding ${ROLE_BINDING.label(binding)}`);
  }
  return twins;
}

/** The server's limit per batch. */
const BATCH_SIZE = 25;

async function createAll(
  context: Context,
  parent: string,
  bindings: readonly { identityUid: string; roleUid: string }[],
): Promise<RoleBinding[]> {
  const { roleBindings } = await context.client();
  const created: RoleBinding[] = [];
  for (let start = 0; start < bindings.length; start += BATCH_SIZE) {
    const batch = bindings.slice(start, start + BATCH_SIZE);
    const requests = batch.map((roleBinding) => ({ roleBinding }));
    try {
      const { signal } = context;
      const done = await roleBindings.batchCreate({ parent, requests }, { signal });
      created.push(...done.roleBindings);
    } catch (error) {
      if (start > 0) context.err.warn(`the first ${start} of ${bindings.length} were created`);
      throw error;
    }
  }
  return created;
}
