import type { Identity } from "@wharf/client";
import { ServicePrincipal } from "@wharf/contract";
import { type Column, UID } from "../../output/columns.ts";

export const IDENTITY_COLUMNS: readonly Column<Identity>[] = [
  { header: "Name", value: ({ name }) => name },
  UID,
  { header: "Type", value: (identity) => trustOf(identity).type },
  { header: "Issuer", value: (identity) => trustOf(identity).issuer, wide: true },
  { header: "Subject", value: subjectOf },
  { header: "Audience", value: (identity) => trustOf(identity).audience, wide: true },
  { header: "Claims", value: (identity) => trustOf(identity).claims, wide: true },
  { header: "Last seen", value: lastSeenOf },
  { header: "Expires", value: expirationOf, wide: true },
  { header: "Description", value: ({ description }) => description, wide: true },
  { header: "E-mail", value: ({ email, emailUnverified }) => email || emailUnverified, wide: true },
  { header: "Created", value: ({ createTime }) => createTime, wide: true },
  { header: "Updated", value: ({ updateTime }) => updateTime, wide: true },
];

/** The time of the last token exchange; the server has the time of creation before the first. */
function lastSeenOf({ lastSeenTime, createTime }: Identity) {
  return lastSeenTime?.seconds === createTime?.seconds ? "never" : lastSeenTime;
}

/** The expiry of trust in the identity's keys; other identities do not expire. */
export function expirationOf({ relationship }: Identity) {
  return relationship.case === "staticKeys" ? relationship.value.expirationTime : undefined;
}

function subjectOf(identity: Identity): string {
  const { relationship, email, emailUnverified } = identity;
  if (relationship.case === "servicePrincipal") return ServicePrincipal[relationship.value] ?? "";
  return trustOf(identity).subject ?? (email || emailUnverified);
}

/** The tokens that an identity trusts, as text. */
interface Trust {
  readonly type: string;
  readonly issuer?: string;
  readonly subject?: string;
  readonly audience?: string;
  readonly claims?: string;
}

function trustOf({ relationship }: Identity): Trust {
  switch (relationship.case) {
    case "claimMatch": {
      const { iss, sub, aud, claims, claimPatterns } = relationship.value;
      return {
        type: "claim_match",
        issuer: matchText(iss),
        subject: matchText(sub),
        audience: matchText(aud),
        claims: [
          ...Object.entries(claims).map(([name, value]) => `${name}=${value}`),
          ...Object.entries(claimPatterns).map(([name, pattern]) => `${name}=/${pattern}/`),
        ].join(", "),
      };
    }
    case "staticKeys": {
      const { issuer, subject, audiences } = relationship.value;
      return { type: "static", issuer, subject, audience: audiences.join(", ") };
    }
    case "awsIdentity": {
      const { awsAccount, awsArn, awsUserId } = relationship.value;
      return {
        type: "aws",
        issuer: awsAccount,
        subject: matchText(awsArn),
        claims: matchText(awsUserId) && `user id ${matchText(awsUserId)}`,
      };
    }
    case "servicePrincipal":
      return { type: "service_principal" };
    default:
      return { type: "person" };
  }
}

/** Slashes distinguish patterns from values. */
function matchText(match: { case: string | undefined; value?: string | undefined }): string {
  if (match.case === undefined || match.value === undefined) return "";
  return match.case.endsWith("Pattern") ? `/${match.value}/` : match.value;
}
