import type { Run } from "../command/types.ts";
import { deleteAll } from "../resource/delete.ts";
import { findAdvisory } from "./resolve.ts";
import type { deleteDefinition } from "./writing.ts";

const KIND = { one: "advisory", many: "advisories" };

export const run: Run<typeof deleteDefinition> = async (context, args) => {
  const found = await Promise.all(args.advisories.map((text) => findAdvisory(context, text)));
  const { advisoriesV1 } = await context.client();
  const doomed = found.map(({ uid, advisoryId }) => ({ uid, label: advisoryId }));
  await deleteAll(context, KIND, doomed, ({ uid }, options) =>
    advisoriesV1.delete({ id: uid }, options),
  );
};
