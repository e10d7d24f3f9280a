import type { IdentityProvider_SCIM } from "@wharf/contract";
import type { Settings } from "../config/settings.ts";
import type { Secrets } from "../secrets/secrets.ts";
import type { Reader } from "../store/db/connection.ts";

/** Dependencies of the hooks of iam outside the engine. */
export interface IamDeps {
  /** The callers who may create organizations. */
  readonly rootGroups: Settings["rootGroups"];
  /** The sealed storage of identity providers' client secrets. */
  readonly secrets: Secrets;
  readonly issuerPolicy: IssuerTrust;
  /** The state of an identity provider's SCIM provisioning. */
  scimStatus(reader: Reader, provider: string, now: number): Promise<IdentityProvider_SCIM>;
}

/** The issuers that the installation trusts. */
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
