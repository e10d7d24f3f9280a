import type { IdentityJson } from "@wharf/contract/messages";

export interface Expected {
  readonly text: string;
  readonly isPattern: boolean;
}

/** The expected issuer, subject and audience of tokens; for AWS, account and ARN. */
export function expectedOf({ claimMatch, staticKeys, awsIdentity }: IdentityJson): {
  readonly issuer?: Expected | undefined;
  readonly subject?: Expected | undefined;
  readonly audience?: Expected | undefined;
} {
  if (claimMatch) {
    return {
      issuer: either(claimMatch.issuer, claimMatch.issuerPattern),
      subject: either(claimMatch.subject, claimMatch.subjectPattern),
      audience: either(claimMatch.audience, claimMatch.audiencePattern),
    };
  }
  if (staticKeys) {
    return {
      issuer: either(staticKeys.issuer),
      subject: either(staticKeys.subject),
      audience: either(staticKeys.audiences?.[0]),
    };
  }
  return {
    issuer: either(awsIdentity?.awsAccount),
    subject: either(awsIdentity?.arn, awsIdentity?.arnPattern),
  };
}

function either(value: string | undefined, pattern?: string | undefined): Expected | undefined {
  if (value) return { text: value, isPattern: false };
  return pattern ? { text: pattern, isPattern: true } : undefined;
}

/** Patterns are matched here as a preview, with at most this many characters: the server decides. */
const MAX_SAMPLE_LENGTH = 300;

/** Whether a value would match; undefined if the browser cannot evaluate the pattern. */
export function matches({ text, isPattern }: Expected, value: string): boolean | undefined {
  if (!isPattern) return text === value;
  if (value.length > MAX_SAMPLE_LENGTH) return undefined;
  try {
    return new RegExp(`^(?:${text})$`, "s").test(value);
  } catch {
    return undefined;
  }
}

/** Pull tokens are identities with this issuer. It is only a marker, not a reachable URL. */
export const PULL_TOKEN_ISSUER = "https://pull-token.wharf.internal";

export type Kind =
  | "claimMatch"
  | "staticKeys"
  | "pullToken"
  | "awsIdentity"
  | "servicePrincipal"
  | "person";

export function kindOf(identity: IdentityJson): Kind {
  if (identity.claimMatch) return "claimMatch";
  if (identity.staticKeys?.issuer === PULL_TOKEN_ISSUER) return "pullToken";
  if (identity.staticKeys) return "staticKeys";
  if (identity.awsIdentity) return "awsIdentity";
  return identity.servicePrincipal ? "servicePrincipal" : "person";
}

/** Whether an identity has never been used: its last use is initially its creation. */
export function isUnused({ lastSeenTime, createTime }: IdentityJson): boolean {
  return lastSeenTime === createTime;
}
