import type { Identity } from "@wharf/client";

/** What a token must show, in a few words of its kind. */
export interface Facts {
  readonly type: string;
  readonly issuer?: string;
  readonly subject?: string;
  readonly audience?: string;
  readonly claims?: string;
}

/** Patterns are told from values by the slashes around them. */
function either(one: { case: string | undefined; value?: string | undefined }): string {
  if (one.case === undefined || one.value === undefined) return "";
  return one.case.endsWith("Pattern") ? `/${one.value}/` : one.value;
}

/** How an identity proves itself. */
export function factsOf({ relationship }: Identity): Facts {
  switch (relationship.case) {
    case "claimMatch": {
      const { iss, sub, aud, claims, claimPatterns } = relationship.value;
      return {
        type: "claim_match",
        issuer: either(iss),
        subject: either(sub),
        audience: either(aud),
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
        subject: either(awsArn),
        claims: either(awsUserId) && `user id ${either(awsUserId)}`,
      };
    }
    case "servicePrincipal":
      return { type: "service_principal" };
    default:
      return { type: "person" };
  }
}
