import type { Context } from "../../context.ts";
import { wrongUse } from "../../errors.ts";
import { GROUP_COLUMNS } from "./columns.ts";
import { type GroupKind, resolveGroup } from "./resolve.ts";

/** What can be changed of a group; what is undefined stays. */
export interface GroupChanges {
  readonly name: string | undefined;
  readonly description: string | undefined;
}

/**
 * Changes a group and prints it.
 *
 * @example await updateGroup(context, "acme", "organisation", { name: "acme-eu", description: undefined });
 */
export async function updateGroup(
  context: Context,
  text: string,
  kind: GroupKind,
  { name, description }: GroupChanges,
): Promise<void> {
  if (name === undefined && description === undefined) {
    throw wrongUse("there is nothing to change", "give --name, --description or both");
  }
  const { uid } = await resolveGroup(context, text, kind);
  const { groups } = await context.client();
  const changes = {
    ...(name === undefined ? {} : { name }),
    ...(description === undefined ? {} : { description }),
  };
  const updateMask = Object.keys(changes);
  const request = { group: { uid, ...changes }, updateMask };
  await context.out.one(await groups.update(request, { signal: context.signal }), GROUP_COLUMNS);
}
