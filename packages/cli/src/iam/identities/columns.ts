import type { Identity } from "@wharf/client";
import { ServicePrincipal } from "@wharf/contract";
import type { Column } from "../../output/columns.ts";
import { factsOf } from "./kind.ts";

export const IDENTITY_COLUMNS: readonly Column<Identity>[] = [
  { header: "Name", value: ({ name }) => name },
  { header: "UID", value: ({ uid }) => uid },
  { header: "Type", value: (identity) => factsOf(identity).type },
  { header: "Issuer", value: (identity) => factsOf(identity).issuer, wide: true },
  { header: "Subject", value: subjectOf },
  { header: "Audience", value: (identity) => factsOf(identity).audience, wide: true },
  { header: "Claims", value: (identity) => factsOf(identity).claims, wide: true },
  { header: "Last seen", value: ({ lastSeenTime }) => lastSeenTime },
  { header: "Expires", value: expiryOf, wide: true },
  { header: "Description", value: ({ description }) => description, wide: true },
  { header: "E-mail", value: ({ email, emailUnverified }) => email || emailUnverified, wide: true },
  { header: "Created", value: ({ createTime }) => createTime, wide: true },
  { header: "Updated", value: ({ updateTime }) => updateTime, wide: true },
];

/** When the keys of an identity are no longer trusted; others do not end. */
export function expiryOf({ relationship }: Identity) {
  return relationship.case === "staticKeys" ? relationship.value.expirationTime : undefined;
}

/** What tells one identity of its type from another. */
function subjectOf(identity: Identity): string {
  const { relationship, email, emailUnverified } = identity;
  if (relationship.case === "servicePrincipal") return ServicePrincipal[relationship.value] ?? "";
  return factsOf(identity).subject ?? (email || emailUnverified);
}
