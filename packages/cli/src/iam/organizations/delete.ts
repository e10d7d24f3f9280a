import type { Run } from "../../command/types.ts";
import { deleteGroup } from "../groups/delete.ts";
import type { deleteDefinition } from "./commands.ts";

export const run: Run<typeof deleteDefinition> = (context, { organization }) =>
  deleteGroup(context, organization, "organization");
