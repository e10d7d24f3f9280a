import type { Group } from "@wharf/client";
import type { Run } from "../../command/types.ts";
import { resolveGroup } from "../../resolve/groups.ts";
import { GROUP_COLUMNS } from "../groups/columns.ts";
import type { listDefinition } from "./commands.ts";

export const run: Run<typeof listDefinition> = async (context, { parent, recursive }) => {
  const { out, settings, signal } = context;
  const { groups } = await context.client();
  const text = parent ?? settings.config.get("default.group");
  const uid = text === undefined ? undefined : (await resolveGroup(context, text)).uid;
  const below = recursive ? { descendantsOf: uid ?? "" } : { childrenOf: uid ?? "" };
  // In the order of uids, what is below something comes after it.
  const order = out.format === "tree" ? {} : { orderBy: "name" };
  const all = groups.listAll({ ...(uid ? { uidp: below } : {}), ...order }, { signal });
  await context.progress("listing folders", () =>
    out.list(onlyFolders(all, recursive || uid !== undefined), GROUP_COLUMNS, { what: "folders" }),
  );
};

/** Lists have organizations, too, when nothing is above them to leave them out. */
async function* onlyFolders(groups: AsyncIterable<Group>, deep: boolean): AsyncIterable<Group> {
  for await (const group of groups) {
    const depth = group.uid.split("/").length - 1;
    if (depth === 1 || (depth > 1 && deep)) yield group;
  }
}
