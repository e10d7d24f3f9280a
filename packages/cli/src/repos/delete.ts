import type { Run } from "../command/types.ts";
import { REPO } from "../resolve/kinds.ts";
import { resolve } from "../resolve/resolve.ts";
import { deleteAll } from "../resource/delete.ts";
import type { deleteDefinition } from "./commands.ts";

export const run: Run<typeof deleteDefinition> = async (context, args) => {
  const found = await Promise.all(args.repos.map((text) => resolve(context, REPO, text)));
  const { repos } = await context.client();
  const doomed = found.map(({ uid, name }) => ({ uid, label: name }));
  await deleteAll(context, REPO, doomed, ({ uid }, options) => repos.delete({ uid }, options));
};
