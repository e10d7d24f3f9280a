import { usageError } from "../../../errors.ts";
import { given } from "../../../resource/given.ts";
import { timeAhead } from "../../../resource/time.ts";

/** Whom to trust: an issuer that can be reached, or one whose keys are at hand. */
export interface Trust {
  readonly issuer: string;
  readonly subject: string | undefined;
  readonly subjectPattern: string | undefined;
  readonly audience: string | undefined;
  readonly issuerKeys: string | undefined;
  readonly expiration: string | undefined;
}

/** The relationship for one subject of an issuer: by its keys where they are given. */
export function trustOf(trust: Trust) {
  const { issuer, subject, subjectPattern, audience, issuerKeys, expiration } = trust;
  if (issuerKeys === undefined) {
    if (expiration !== undefined) throw usageError("--expiration goes with --issuer-keys");
    const value = given({
      iss: { case: "issuer", value: issuer } as const,
      sub:
        subject === undefined
          ? ({ case: "subjectPattern", value: subjectPattern ?? "" } as const)
          : ({ case: "subject", value: subject } as const),
      aud: audience === undefined ? undefined : ({ case: "audience", value: audience } as const),
    });
    return { case: "claimMatch", value } as const;
  }
  if (subject === undefined) {
    throw usageError("--issuer-keys takes one exact subject", "give --ref");
  }
  const value = given({
    issuer,
    subject,
    issuerKeys,
    audiences: audience === undefined ? undefined : [audience],
    expirationTime: expiration === undefined ? undefined : timeAhead("--expiration", expiration),
  });
  return { case: "staticKeys", value } as const;
}
