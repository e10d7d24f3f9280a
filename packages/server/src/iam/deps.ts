import type { IdentityProvider_SCIM } from "@wharf/contract";
import type { Settings } from "../config/settings.ts";
import type { Secrets } from "../secrets/secrets.ts";
import type { Reader } from "../store/db/connection.ts";

/** What the hooks of iam need from outside the engine. */
export interface IamDeps {
  /** Who may create organizations. */
  readonly rootGroups: Settings["rootGroups"];
  /** Where client secrets of identity providers are sealed. */
  readonly secrets: Secrets;
  readonly issuerPolicy: IssuerTrust;
  /** The state of an identity provider's SCIM provisioning. */
  scimStatus(reader: Reader, provider: string, now: number): Promise<IdentityProvider_SCIM>;
}

/** Which issuers the installation trusts. */
export interface IssuerTrust {
  mayTrust(issuer: string): boolean;
  /** Whether an issuer may be reached over plain http, and at private addresses. */
  mayBePrivate(issuer: string): boolean;
}

declare module "../engine/definition.ts" {
  interface HookDeps {
    readonly iam: IamDeps;
  }
}
