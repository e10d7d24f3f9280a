import type { Run } from "../../command/types.ts";
import { mustBeUid } from "../../resolve/uid.ts";
import { deleteAll } from "../../resource/delete.ts";
import type { deleteDefinition } from "./commands.ts";

const KIND = { one: "role binding", many: "role bindings" };

export const run: Run<typeof deleteDefinition> = async (context, { bindings }) => {
  for (const uid of bindings) mustBeUid("BINDINGS", uid);
  const { roleBindings } = await context.client();
  const doomed = bindings.map((uid) => ({ uid, label: uid }));
  await deleteAll(context, KIND, doomed, ({ uid }, options) =>
    roleBindings.delete({ uid }, options),
  );
};
