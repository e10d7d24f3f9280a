import type { Run } from "../../../command/types.ts";
import { IDENTITY_PROVIDER } from "../../../resolve/kinds.ts";
import { resolveUid } from "../../../resolve/resolve.ts";
import type { generateDefinition } from "./commands.ts";
import { lifeOf, printToken } from "./token.ts";

export const run: Run<typeof generateDefinition> = async (context, args) => {
  const life = lifeOf(args);
  const identityProviderUid = await resolveUid(context, IDENTITY_PROVIDER, args.provider);
  const { identityProviders } = await context.client();
  const made = await identityProviders.generateScimToken(
    { identityProviderUid, ...life },
    { signal: context.signal },
  );
  await printToken(context, made);
};
