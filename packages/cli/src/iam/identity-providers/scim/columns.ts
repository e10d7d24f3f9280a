import type { IdentityProvider_SCIM } from "@wharf/client";
import { IdentityProvider_SCIM_CredentialState as State } from "@wharf/contract";
import type { Column } from "../../../output/columns.ts";

/** `NOT_ISSUED` → `not issued` */
export function stateOf({ credentialState }: IdentityProvider_SCIM): string {
  return (State[credentialState] ?? "").toLowerCase().replaceAll("_", " ");
}

export const SCIM_COLUMNS: readonly Column<IdentityProvider_SCIM>[] = [
  { header: "Enabled", value: ({ enabled }) => (enabled ? "yes" : "no") },
  { header: "Token", value: stateOf },
  { header: "Token expires", value: ({ tokenExpireTime }) => tokenExpireTime },
  {
    header: "Previous token expires",
    value: ({ previousTokenExpireTime }) => previousTokenExpireTime,
  },
  { header: "Address", value: ({ endpointUrl }) => endpointUrl },
];
