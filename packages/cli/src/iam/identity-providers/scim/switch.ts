import type { IdentityProvider, IdentityProvider_SCIM } from "@wharf/client";
import type { Context } from "../../../context.ts";
import { failed } from "../../../errors.ts";
import { wholeProvider } from "../resolve.ts";

/** What a provider tells of its provisioning; it always does when it is asked for alone. */
export function scimOf({ name, scim }: IdentityProvider): IdentityProvider_SCIM {
  if (scim === undefined) throw failed(`the server tells nothing of the provisioning of ${name}`);
  return scim;
}

/** Switches provisioning on or off. */
export async function setScimEnabled(
  context: Context,
  provider: string,
  enabled: boolean,
): Promise<void> {
  const found = await wholeProvider(context, provider);
  const { identityProviders } = await context.client();
  const request = { identityProviderUid: found.uid, enabled, etag: scimOf(found).etag };
  await identityProviders.setScimEnabled(request, { signal: context.signal });
  context.err.note(`provisioning of ${found.name} is ${enabled ? "on" : "off"}`);
}
