import type { IdentityProvider } from "@wharf/client";
import { parentOf, IdentityProvider_OIDC_CorrelationRule as Rule } from "@wharf/contract";
import type { Run } from "../../command/types.ts";
import type { Context } from "../../context.ts";
import { usageError } from "../../errors.ts";
import { type Column, UID } from "../../output/columns.ts";
import { resolveGroup } from "../../resolve/groups.ts";
import { IDENTITY_PROVIDER } from "../../resolve/kinds.ts";
import { resolve, resolveRole, resolveUid } from "../../resolve/resolve.ts";
import { withGroup } from "../../resource/group-column.ts";
import { printOne, type Resource } from "../../resource/run.ts";
import { updater } from "../../resource/update.ts";
import { definedFields, nonEmptyList } from "../../resource/values.ts";
import type { createDefinition } from "./commands.ts";
import { updateDefinition } from "./commands.ts";
import { tokenStateOf } from "./scim/run.ts";

const COLUMNS: readonly Column<IdentityProvider>[] = [
  { header: "Name", value: ({ name }) => name },
  UID,
  { header: "Issuer", value: (provider) => oidcOf(provider)?.issuer },
  { header: "Client ID", value: (provider) => oidcOf(provider)?.clientId },
  { header: "PKCE", value: (provider) => (oidcOf(provider)?.pkceEnabled ? "yes" : "no") },
  { header: "Default role", value: ({ defaultRole }) => defaultRole, wide: true },
  { header: "Scopes", value: (provider) => oidcOf(provider)?.additionalScopes, wide: true },
  { header: "Groups claim", value: (provider) => oidcOf(provider)?.groupsClaim, wide: true },
  { header: "Correlation", value: correlationOf, wide: true },
  { header: "Description", value: ({ description }) => description, wide: true },
  { header: "Created", value: ({ createTime }) => createTime, wide: true },
  { header: "Updated", value: ({ updateTime }) => updateTime, wide: true },
];

function oidcOf({ configuration }: IdentityProvider) {
  return configuration.case === "oidc" ? configuration.value : undefined;
}

function correlationOf(provider: IdentityProvider): string {
  const rule = oidcOf(provider)?.correlationRule;
  return rule === Rule.OID_EQUALS_EXTERNAL_ID ? "oid" : "subject";
}

export const resource: Resource<IdentityProvider> = {
  kind: IDENTITY_PROVIDER,
  columns: withGroup(COLUMNS),
  // Only Get returns the SCIM state.
  details: [
    ...COLUMNS,
    { header: "Provisioning", value: ({ scim }) => scim && (scim.enabled ? "on" : "off") },
    { header: "Provisioning token", value: ({ scim }) => scim && tokenStateOf(scim) },
    { header: "Provisioning address", value: ({ scim }) => scim?.endpointUrl },
  ],
  async find(context, text) {
    const uid = await resolveUid(context, IDENTITY_PROVIDER, text);
    return (await context.client()).identityProviders.get({ uid }, { signal: context.signal });
  },
};

const RULES = { subject: Rule.SUB_EQUALS_EXTERNAL_ID, oid: Rule.OID_EQUALS_EXTERNAL_ID } as const;

export const create: Run<typeof createDefinition> = async (context, args) => {
  const { name, description = "", issuer, clientId, scopes, groupsClaim, pkce } = args;
  const clientSecret = await readClientSecret(context, args.clientSecret, pkce);
  const parent = await resolveGroup(context, args.parent);
  const defaultRole = await resolveRole(context, args.defaultRole, parent.uid);
  const value = definedFields({
    issuer,
    clientId,
    clientSecret,
    additionalScopes: [...scopes],
    groupsClaim,
    pkceEnabled: pkce,
    correlationRule: RULES[args.correlationRule],
  });
  const configuration = { case: "oidc", value } as const;
  const identityProvider = { name, description, defaultRole, configuration };
  const { identityProviders } = await context.client();
  const request = { parent: parent.uid, identityProvider };
  const created = await identityProviders.create(request, { signal: context.signal });
  context.err.note(`created identity provider ${created.name} in ${parent.name}`);
  context.err.note(`redirect URI: ${context.settings.issuer}/oauth/callback`);
  await printOne(context, resource, created);
};

/** Trims the content of the file: its final newline is not part of the secret. */
async function readClientSecret(
  { prompt }: Context,
  text: string | undefined,
  pkce: boolean,
): Promise<string | undefined> {
  if (text !== undefined) return text.trim();
  if (pkce) return undefined;
  prompt.require(
    "--client-secret is missing",
    "give a file, or - for standard input; --pkce needs no secret",
  );
  return prompt.secret("Client secret (not shown)");
}

export const update = updater(updateDefinition, {
  resource,
  find: (context: Context, text: string) => resolve(context, IDENTITY_PROVIDER, text),
  fields: {
    name: "name",
    description: "description",
    defaultRole: ({ args: { defaultRole }, context, current }) =>
      defaultRole === undefined
        ? undefined
        : resolveRole(context, defaultRole, parentOf(current.uid)),
    configuration: ({ args }) => updatedConfiguration(args),
  },
  // Without an explicit mask, the client derives one that includes the fields within oidc.
  send: ({ identityProviders }, identityProvider, _mask, options) =>
    identityProviders.update({ identityProvider }, options),
});

function updatedConfiguration(args: Parameters<Run<typeof updateDefinition>>[1]) {
  const { issuer, clientId, groupsClaim, scopes, pkce, clearSecret, clientSecret } = args;
  if (clearSecret && clientSecret !== undefined) {
    throw usageError("--client-secret and --clear-secret are mutually exclusive");
  }
  const value = definedFields({
    issuer,
    clientId,
    clientSecret: clearSecret ? "" : clientSecret?.trim(),
    additionalScopes: nonEmptyList(scopes),
    groupsClaim,
    pkceEnabled: pkce === undefined ? undefined : pkce === "on",
  });
  return Object.keys(value).length > 0 ? ({ case: "oidc", value } as const) : undefined;
}
