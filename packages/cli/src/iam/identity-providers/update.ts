import { parentOf } from "@wharf/contract";
import type { Run } from "../../command/types.ts";
import { usageError } from "../../errors.ts";
import { IDENTITY_PROVIDER } from "../../resolve/kinds.ts";
import { resolve } from "../../resolve/resolve.ts";
import { resolveRole } from "../../resolve/roles.ts";
import { changesOf, given } from "../../resource/given.ts";
import { PROVIDER_DETAILS } from "./columns.ts";
import type { updateDefinition } from "./commands.ts";

export const run: Run<typeof updateDefinition> = async (context, args) => {
  const { name, description, issuer, clientId, groupsClaim, scopes, pkce, clearSecret } = args;
  if (clearSecret && args.clientSecret !== undefined) {
    throw usageError("--client-secret and --clear-secret exclude each other");
  }
  const { uid } = await resolve(context, IDENTITY_PROVIDER, args.provider);
  const value = given({
    issuer,
    clientId,
    clientSecret: clearSecret ? "" : args.clientSecret?.trim(),
    additionalScopes: scopes.length > 0 ? [...scopes] : undefined,
    groupsClaim,
    pkceEnabled: pkce === undefined ? undefined : pkce === "on",
  });
  const isChanged = Object.keys(value).length > 0;
  const changes = changesOf(
    {
      name,
      description,
      defaultRole:
        args.defaultRole === undefined
          ? undefined
          : await resolveRole(context, args.defaultRole, parentOf(uid)),
      configuration: isChanged ? ({ case: "oidc", value } as const) : undefined,
    },
    "--name, --description, --default-role or how to log in",
  );
  const { identityProviders } = await context.client();
  // Without a mask, exactly what is written down changes, fields within oidc included.
  const request = { identityProvider: { uid, ...changes } };
  const updated = await identityProviders.update(request, { signal: context.signal });
  await context.out.one(updated, PROVIDER_DETAILS);
};
