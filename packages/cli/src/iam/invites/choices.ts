import type { GroupInvite } from "@wharf/client";
import type { Choice } from "../../command/definition.ts";
import type { Context } from "../../context.ts";

/** As many as anyone looks through. */
const CHOICES = 500;

/** What people pick from when they have not said which invite. */
export async function pickInvite(context: Context): Promise<Choice[]> {
  return (await some(context)).map(({ uid, email, keyId, role }) => ({
    value: uid,
    label: `${email || keyId}: ${role?.name ?? ""}`,
    hint: uid,
  }));
}

export async function completeInvites(context: Context): Promise<string[]> {
  return (await some(context)).map(({ uid }) => uid);
}

async function some({ client, signal }: Context): Promise<GroupInvite[]> {
  const { groupInvites } = await client();
  const found: GroupInvite[] = [];
  for await (const invite of groupInvites.listAll({}, { signal })) {
    if (found.push(invite) >= CHOICES) break;
  }
  return found;
}
