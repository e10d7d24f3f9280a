import type { Role } from "@wharf/client";
import type { Capability } from "@wharf/contract";
import type { Run } from "../../command/types.ts";
import { usageError } from "../../errors.ts";
import { readCapabilities } from "../../resolve/capabilities.ts";
import { ROLE } from "../../resolve/kinds.ts";
import { resolve } from "../../resolve/resolve.ts";
import { changesOf } from "../../resource/given.ts";
import { ROLE_DETAILS } from "./columns.ts";
import type { updateDefinition } from "./commands.ts";

export const run: Run<typeof updateDefinition> = async (context, args) => {
  const exactly = readCapabilities("--capabilities", args.capabilities);
  const add = readCapabilities("--add", args.add);
  const remove = readCapabilities("--remove", args.remove);
  if (exactly.length > 0 && add.length + remove.length > 0) {
    throw usageError("--capabilities excludes --add and --remove");
  }
  const role = await resolve(context, ROLE, args.role);
  const changed = exactly.length + add.length + remove.length > 0;
  const changes = changesOf(
    {
      name: args.name,
      description: args.description,
      capabilities: changed ? capabilitiesOf(role, exactly, add, remove) : undefined,
    },
    "--name, --description, --capabilities, --add or --remove",
  );
  const { roles } = await context.client();
  const request = { role: { uid: role.uid, ...changes }, updateMask: Object.keys(changes) };
  await context.out.one(await roles.update(request, { signal: context.signal }), ROLE_DETAILS);
};

function capabilitiesOf(
  { name, capabilities }: Role,
  exactly: Capability[],
  add: readonly Capability[],
  remove: readonly Capability[],
): Capability[] {
  if (exactly.length > 0) return exactly;
  const left = [...new Set([...capabilities, ...add])].filter((one) => !remove.includes(one));
  if (left.length > 0) return left;
  throw usageError(`nothing would be left that ${name} can do`, "delete the role instead");
}
