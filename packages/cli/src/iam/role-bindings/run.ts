import type { RoleBinding } from "@wharf/client";
import type { Run } from "../../command/types.ts";
import type { Context } from "../../context.ts";
import { usageError } from "../../errors.ts";
import { resolveGroup } from "../../resolve/groups.ts";
import { resolveWho } from "../../resolve/identities.ts";
import { resolveRole } from "../../resolve/roles.ts";
import { isObject, readDocument } from "../../resource/document.ts";
import { BINDING_COLUMNS } from "./columns.ts";
import type { createDefinition } from "./commands.ts";

/** As many as the server takes at once. */
const AT_ONCE = 25;

interface Entry {
  readonly identity: string;
  readonly role: string;
}

export const run: Run<typeof createDefinition> = async (context, args) => {
  const entries =
    args.file === undefined ? entriesOf(args.identity, args.role) : await readEntries(args);
  const { uid, name } = await resolveGroup(context, args.parent);
  const wanted = await resolveAll(context, entries, uid);
  const made = await createAll(context, uid, wanted);
  context.err.note(`created ${made.length} role binding${made.length > 1 ? "s" : ""} in ${name}`);
  const [first, second] = made;
  if (first !== undefined && second === undefined) await context.out.one(first, BINDING_COLUMNS);
  else await context.out.list(made, BINDING_COLUMNS);
};

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
}: {
  identity: string | undefined;
  role: readonly string[];
  file: string | undefined;
}): Promise<Entry[]> {
  if (identity !== undefined || role.length > 0) {
    throw usageError("--file excludes --identity and --role");
  }
  const document = await readDocument("--file", file);
  const list = isObject(document) && "items" in document ? document.items : document;
  if (!Array.isArray(list) || list.length === 0) {
    throw usageError("--file must hold a list", "such as: - {identity: ci, role: viewer}");
  }
  return list.map((entry, at) => {
    if (isObject(entry) && typeof entry.identity === "string" && typeof entry.role === "string") {
      return { identity: entry.identity, role: entry.role };
    }
    throw usageError(`--file: entry ${at + 1} needs an identity and a role`);
  });
}

/** Everything is looked up before anything is made, each name once. */
async function resolveAll(context: Context, entries: readonly Entry[], place: string) {
  const identities = await eachOnce(
    entries.map(({ identity }) => identity),
    async (identity) => (await resolveWho(context, identity)).uid,
  );
  const roles = await eachOnce(
    entries.map(({ role }) => role),
    (role) => resolveRole(context, role, place),
  );
  return entries.map(({ identity, role }) => ({
    identityUid: identities.get(identity) as string,
    roleUid: roles.get(role) as string,
  }));
}

async function eachOnce(
  texts: readonly string[],
  uidOf: (text: string) => Promise<string>,
): Promise<ReadonlyMap<string, string>> {
  const uids = new Map<string, string>();
  for (const text of new Set(texts)) uids.set(text, await uidOf(text));
  return uids;
}

async function createAll(
  context: Context,
  parent: string,
  wanted: readonly { identityUid: string; roleUid: string }[],
): Promise<RoleBinding[]> {
  const { roleBindings } = await context.client();
  const made: RoleBinding[] = [];
  for (let at = 0; at < wanted.length; at += AT_ONCE) {
    const requests = wanted.slice(at, at + AT_ONCE).map((roleBinding) => ({ roleBinding }));
    try {
      const batch = await roleBindings.batchCreate(
        { parent, requests },
        { signal: context.signal },
      );
      made.push(...batch.roleBindings);
    } catch (error) {
      if (at > 0) context.err.warn(`the first ${at} of ${wanted.length} were created`);
      throw error;
    }
  }
  return made;
}
