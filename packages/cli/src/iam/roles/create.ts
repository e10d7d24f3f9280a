import type { Run } from "../../command/types.ts";
import { readCapabilities } from "../../resolve/capabilities.ts";
import { resolveGroup } from "../../resolve/groups.ts";
import { ROLE_DETAILS } from "./columns.ts";
import type { createDefinition } from "./commands.ts";

export const run: Run<typeof createDefinition> = async (context, args) => {
  const { name, description = "" } = args;
  const capabilities = readCapabilities("--capabilities", args.capabilities);
  const parent = await resolveGroup(context, args.parent);
  const { roles } = await context.client();
  const request = { parent: parent.uid, role: { name, description, capabilities } };
  const made = await roles.create(request, { signal: context.signal });
  context.err.note(`created role ${made.name} in ${parent.name}`);
  await context.out.one(made, ROLE_DETAILS);
};
