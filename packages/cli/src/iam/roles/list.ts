import type { Role } from "@wharf/client";
import { isRoot } from "@wharf/contract";
import type { Run } from "../../command/types.ts";
import { usageError } from "../../errors.ts";
import { readCapabilities } from "../../resolve/capabilities.ts";
import { printList } from "../../resource/print.ts";
import { within } from "../../resource/within.ts";
import { ROLE_COLUMNS } from "./columns.ts";
import type { listDefinition } from "./commands.ts";

export const run: Run<typeof listDefinition> = async (context, args) => {
  const { managed, custom, name } = args;
  if (managed && custom) throw usageError("--managed and --custom exclude each other");
  const wanted = readCapabilities("--capabilities", args.capabilities);
  const { roles } = await context.client();
  const uidp = managed ? { inRoot: true } : await within(context, args);
  const request = { uidp, orderBy: "name", ...(name === undefined ? {} : { name }) };
  const fits = ({ uid, capabilities }: Role) =>
    !(custom && isRoot(uid)) && wanted.every((one) => capabilities.includes(one));
  const all = roles.listAll(request, { signal: context.signal });
  await printList(context, only(all, fits), ROLE_COLUMNS, {
    what: "roles",
    label: (role) => role.name,
  });
};

async function* only(roles: AsyncIterable<Role>, fits: (role: Role) => boolean) {
  for await (const role of roles) if (fits(role)) yield role;
}
