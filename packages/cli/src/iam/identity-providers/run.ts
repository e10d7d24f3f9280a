import { IdentityProvider_OIDC_CorrelationRule as Rule } from "@wharf/contract";
import type { Run } from "../../command/types.ts";
import type { Context } from "../../context.ts";
import { resolveGroup } from "../../resolve/groups.ts";
import { resolveRole } from "../../resolve/roles.ts";
import { given } from "../../resource/given.ts";
import { PROVIDER_DETAILS } from "./columns.ts";
import type { createDefinition } from "./commands.ts";

const RULES = { subject: Rule.SUB_EQUALS_EXTERNAL_ID, oid: Rule.OID_EQUALS_EXTERNAL_ID } as const;

export const run: Run<typeof createDefinition> = async (context, args) => {
  const { name, description = "", issuer, clientId, scopes, groupsClaim, pkce } = args;
  const clientSecret = await secretOf(context, args.clientSecret, pkce);
  const parent = await resolveGroup(context, args.parent);
  const defaultRole = await resolveRole(context, args.defaultRole, parent.uid);
  const value = given({
    issuer,
    clientId,
    clientSecret,
    additionalScopes: [...scopes],
    groupsClaim,
    pkceEnabled: pkce,
    correlationRule: RULES[args.correlationRule],
  });
  const identityProvider = {
    name,
    description,
    defaultRole,
    configuration: { case: "oidc", value } as const,
  };
  const { identityProviders } = await context.client();
  const request = { parent: parent.uid, identityProvider };
  const made = await identityProviders.create(request, { signal: context.signal });
  context.err.note(`created identity provider ${made.name} in ${parent.name}`);
  context.err.note(`its redirect address is ${context.settings.issuer}/oauth/callback`);
  await context.out.one(made, PROVIDER_DETAILS);
};

/** Of a file's text, its end of line is no part of the secret. */
async function secretOf(
  { prompt }: Context,
  text: string | undefined,
  pkce: boolean,
): Promise<string | undefined> {
  if (text !== undefined) return text.trim();
  if (pkce) return undefined;
  prompt.require(
    "--client-secret is missing",
    "it names a file, or - for standard input; with --pkce none is needed",
  );
  return prompt.secret("Client secret (it is not shown)");
}
