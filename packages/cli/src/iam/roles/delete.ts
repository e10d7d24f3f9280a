import type { Run } from "../../command/types.ts";
import { ROLE } from "../../resolve/kinds.ts";
import { resolve } from "../../resolve/resolve.ts";
import { deleteAll } from "../../resource/delete.ts";
import type { deleteDefinition } from "./commands.ts";

export const run: Run<typeof deleteDefinition> = async (context, args) => {
  const found = await Promise.all(args.roles.map((text) => resolve(context, ROLE, text)));
  const { roles } = await context.client();
  const doomed = found.map(({ uid, name }) => ({ uid, label: name }));
  await deleteAll(context, ROLE, doomed, ({ uid }, options) => roles.delete({ uid }, options));
};
