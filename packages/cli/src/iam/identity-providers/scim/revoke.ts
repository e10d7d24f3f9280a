import type { Run } from "../../../command/types.ts";
import { IDENTITY_PROVIDER } from "../../../resolve/kinds.ts";
import { resolve } from "../../../resolve/resolve.ts";
import type { revokeDefinition } from "./commands.ts";

export const run: Run<typeof revokeDefinition> = async (context, { provider }) => {
  const { uid, name } = await resolve(context, IDENTITY_PROVIDER, provider);
  await context.confirm(`Revoke all tokens for the provisioning of ${name} (${uid})?`);
  const { identityProviders } = await context.client();
  await identityProviders.revokeScimToken({ identityProviderUid: uid }, { signal: context.signal });
  context.err.note(`revoked all tokens for the provisioning of ${name}`);
};
