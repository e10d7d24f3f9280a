import type { RoleBinding } from "@wharf/client";
import type { Choice } from "../../command/definition.ts";
import type { Context } from "../../context.ts";

/** As many as anyone looks through. */
const CHOICES = 500;

/** What people pick from when they have not said which binding. */
export async function pickBinding(context: Context): Promise<Choice[]> {
  return (await some(context)).map(({ uid, identity, role, group, identityUid, roleUid }) => ({
    value: uid,
    label: `${identity?.email || identity?.name || identityUid}: ${role?.name ?? roleUid}`,
    hint: group?.name ?? uid,
  }));
}

export async function completeBindings(context: Context): Promise<string[]> {
  return (await some(context)).map(({ uid }) => uid);
}

async function some({ client, signal }: Context): Promise<RoleBinding[]> {
  const { roleBindings } = await client();
  const found: RoleBinding[] = [];
  for await (const binding of roleBindings.listAll({}, { signal })) {
    if (found.push(binding) >= CHOICES) break;
  }
  return found;
}
