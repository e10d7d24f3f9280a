import type { Run } from "../../command/types.ts";
import { findAdvisory } from "../resolve.ts";
import { EVENT_COLUMNS } from "./columns.ts";
import type { listDefinition } from "./commands.ts";

export const run: Run<typeof listDefinition> = async (context, { advisory }) => {
  const { events } = await findAdvisory(context, advisory);
  await context.out.list(events, EVENT_COLUMNS, { what: "events" });
};
