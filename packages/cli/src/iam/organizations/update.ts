import type { Run } from "../../command/types.ts";
import { updateGroup } from "../groups/update.ts";
import type { updateDefinition } from "./commands.ts";

export const run: Run<typeof updateDefinition> = (context, { organization, ...changes }) =>
  updateGroup(context, organization, "organization", changes);
