import type { Run } from "../../command/types.ts";
import { usageError } from "../../errors.ts";
import { IDENTITY } from "../../resolve/kinds.ts";
import { resolve } from "../../resolve/resolve.ts";
import { deleteAll } from "../../resource/delete.ts";
import type { deleteDefinition } from "./commands.ts";
import { found } from "./list.ts";

export const run: Run<typeof deleteDefinition> = async (context, args) => {
  if (args.expired === args.identities.length > 0) {
    throw usageError("give either IDENTITIES or --expired");
  }
  const all = args.expired
    ? await Array.fromAsync(await found(context, args))
    : await Promise.all(args.identities.map((text) => resolve(context, IDENTITY, text)));
  const { identities } = await context.client();
  const doomed = all.map(({ uid, name }) => ({ uid, label: name }));
  await deleteAll(context, IDENTITY, doomed, ({ uid }, options) =>
    identities.delete({ uid }, options),
  );
};
