import type { Run } from "../../command/types.ts";
import { GROUP_COLUMNS } from "../groups/columns.ts";
import type { listDefinition } from "./commands.ts";

export const run: Run<typeof listDefinition> = async ({ client, out, progress, signal }) => {
  const { groups } = await client();
  const request = out.format === "tree" ? {} : { uidp: { inRoot: true }, orderBy: "name" };
  await progress("listing organizations", () =>
    out.list(groups.listAll(request, { signal }), GROUP_COLUMNS, { what: "organizations" }),
  );
};
