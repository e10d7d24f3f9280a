import type { Run } from "../../command/types.ts";
import { updateGroup } from "../groups/update.ts";
import type { updateDefinition } from "./commands.ts";

export const run: Run<typeof updateDefinition> = (context, { folder, ...changes }) =>
  updateGroup(context, folder, "folder", changes);
