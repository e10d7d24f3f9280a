import type { IdentityProvider } from "@wharf/client";
import { IdentityProvider_OIDC_CorrelationRule as Rule } from "@wharf/contract";
import type { Column } from "../../output/columns.ts";
import { stateOf } from "./scim/columns.ts";

function oidcOf({ configuration }: IdentityProvider) {
  return configuration.case === "oidc" ? configuration.value : undefined;
}

export const PROVIDER_COLUMNS: readonly Column<IdentityProvider>[] = [
  { header: "Name", value: ({ name }) => name },
  { header: "UID", value: ({ uid }) => uid },
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

/** Lists do not tell of provisioning; a single provider does. */
export const PROVIDER_DETAILS: readonly Column<IdentityProvider>[] = [
  ...PROVIDER_COLUMNS,
  { header: "Provisioning", value: ({ scim }) => scim && (scim.enabled ? "on" : "off") },
  { header: "Provisioning token", value: ({ scim }) => scim && stateOf(scim) },
  { header: "Provisioning address", value: ({ scim }) => scim?.endpointUrl },
];

function correlationOf(provider: IdentityProvider): string {
  const rule = oidcOf(provider)?.correlationRule;
  return rule === Rule.OID_EQUALS_EXTERNAL_ID ? "oid" : "subject";
}
