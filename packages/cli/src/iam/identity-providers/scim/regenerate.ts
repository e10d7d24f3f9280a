import type { Run } from "../../../command/types.ts";
import { durationOf } from "../../../resource/time.ts";
import { wholeProvider } from "../resolve.ts";
import type { regenerateDefinition } from "./commands.ts";
import { scimOf } from "./switch.ts";
import { lifeOf, printToken } from "./token.ts";

export const run: Run<typeof regenerateDefinition> = async (context, args) => {
  const life = lifeOf(args);
  const provider = await wholeProvider(context, args.provider);
  const { identityProviders } = await context.client();
  const request = {
    identityProviderUid: provider.uid,
    etag: scimOf(provider).etag,
    overlap: durationOf(args.overlap),
    ...life,
  };
  const made = await identityProviders.regenerateScimToken(request, { signal: context.signal });
  await printToken(context, made);
};
