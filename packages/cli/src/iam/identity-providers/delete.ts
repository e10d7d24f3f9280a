import type { Run } from "../../command/types.ts";
import { IDENTITY_PROVIDER } from "../../resolve/kinds.ts";
import { resolve } from "../../resolve/resolve.ts";
import { deleteAll } from "../../resource/delete.ts";
import type { deleteDefinition } from "./commands.ts";

export const run: Run<typeof deleteDefinition> = async (context, { providers }) => {
  const found = await Promise.all(
    providers.map((text) => resolve(context, IDENTITY_PROVIDER, text)),
  );
  const { identityProviders } = await context.client();
  const doomed = found.map(({ uid, name }) => ({ uid, label: name }));
  await deleteAll(context, IDENTITY_PROVIDER, doomed, ({ uid }, options) =>
    identityProviders.delete({ uid }, options),
  );
};
