import type { Context } from "../../context.ts";
import { type GroupKind, resolveGroup } from "../../resolve/groups.ts";

/** Deletes a group, once whoever asked has said yes. */
export async function deleteGroup(context: Context, text: string, kind: GroupKind): Promise<void> {
  const { uid, name } = await resolveGroup(context, text, kind);
  await context.confirm(`Delete ${kind} ${name} (${uid})?`);
  const { groups } = await context.client();
  await groups.delete({ uid }, { signal: context.signal });
  context.err.note(`deleted ${kind} ${name}`);
}
