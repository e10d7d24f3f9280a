import type { providerTexts } from "../../texts/providers.ts";

export type KindName = keyof typeof providerTexts.kinds;

/** Default values of the form by provider. */
interface Defaults {
  readonly groupsClaim: string;
  readonly scopes: string;
  readonly correlationRule: keyof typeof providerTexts.correlations;
}

const USUAL: Defaults = {
  groupsClaim: "groups",
  scopes: "",
  correlationRule: "CORRELATION_RULE_SUB_EQUALS_EXTERNAL_ID",
};

export const DEFAULTS: Readonly<Record<KindName, Defaults>> = {
  okta: { ...USUAL, scopes: "groups" },
  // The subject of Entra ID differs per application.
  entra: { ...USUAL, correlationRule: "CORRELATION_RULE_OID_EQUALS_EXTERNAL_ID" },
  google: { ...USUAL, groupsClaim: "" },
  keycloak: USUAL,
  oidc: { ...USUAL, groupsClaim: "" },
};
