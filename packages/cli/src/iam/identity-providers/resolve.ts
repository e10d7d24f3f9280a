import type { IdentityProvider } from "@wharf/client";
import type { Context } from "../../context.ts";
import { IDENTITY_PROVIDER } from "../../resolve/kinds.ts";
import { resolveUid } from "../../resolve/resolve.ts";

/** A provider with what only Get tells of it: its provisioning. */
export async function wholeProvider(context: Context, text: string): Promise<IdentityProvider> {
  const uid = await resolveUid(context, IDENTITY_PROVIDER, text);
  const { identityProviders } = await context.client();
  return identityProviders.get({ uid }, { signal: context.signal });
}
