import { ServicePrincipal } from "@wharf/contract";
import { didYouMean } from "../../../command/suggest.ts";
import { usageError } from "../../../errors.ts";
import { given } from "../../../resource/given.ts";
import { pairsOf } from "../../../resource/pairs.ts";
import { timeAhead } from "../../../resource/time.ts";

/** What options say about how an identity proves itself. */
export interface Proof {
  readonly issuer: string | undefined;
  readonly issuerPattern: string | undefined;
  readonly subject: string | undefined;
  readonly subjectPattern: string | undefined;
  readonly audience: string | undefined;
  readonly audiencePattern: string | undefined;
  readonly claim: readonly string[];
  readonly claimPattern: readonly string[];
  readonly issuerKeys: string | undefined;
  readonly expiration: string | undefined;
  readonly awsAccount: string | undefined;
  readonly arn: string | undefined;
  readonly arnPattern: string | undefined;
  readonly userId: string | undefined;
  readonly userIdPattern: string | undefined;
  readonly servicePrincipal: string | undefined;
}

const CLAIMS = [
  "issuerPattern",
  "subjectPattern",
  "audiencePattern",
  "claim",
  "claimPattern",
] as const;
const KEYS = ["issuerKeys", "expiration"] as const;
const BOTH = ["issuer", "subject", "audience"] as const;
const AWS = ["awsAccount", "arn", "arnPattern", "userId", "userIdPattern"] as const;

/**
 * The relationship that the options stand for; undefined when they say nothing of it. Options of two
 * kinds exclude each other.
 */
export function relationshipOf(proof: Proof, known?: string) {
  const kinds = {
    claims: said(proof, CLAIMS),
    keys: said(proof, KEYS),
    aws: said(proof, AWS),
    service: said(proof, ["servicePrincipal"]),
  };
  const either = said(proof, BOTH);
  const [first, second] = Object.values(kinds).filter((options) => options.length > 0);
  const clash =
    second?.[0] ?? (kinds.aws.length + kinds.service.length > 0 ? either[0] : undefined);
  if (first !== undefined && clash !== undefined) {
    throw usageError(
      `${first[0]} and ${clash} exclude each other`,
      "an identity proves itself by claims, by keys, by AWS or as a service",
    );
  }
  if (kinds.service.length > 0) {
    return { case: "servicePrincipal", value: readService(proof.servicePrincipal ?? "") } as const;
  }
  if (kinds.aws.length > 0) return { case: "awsIdentity", value: awsOf(proof) } as const;
  if (kinds.keys.length > 0 || (known === "staticKeys" && either.length > 0)) {
    return { case: "staticKeys", value: keysOf(proof) } as const;
  }
  if (kinds.claims.length + either.length === 0) return undefined;
  return { case: "claimMatch", value: claimsOf(proof) } as const;
}

/** The options of a kind that were given, as people write them. */
function said(proof: Proof, names: readonly (keyof Proof)[]): string[] {
  return names
    .filter((name) =>
      Array.isArray(proof[name]) ? proof[name].length > 0 : proof[name] !== undefined,
    )
    .map((name) => `--${name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`);
}

function oneOf<Value extends string, Pattern extends string>(
  names: readonly [value: Value, pattern: Pattern],
  value: string | undefined,
  pattern: string | undefined,
): { case: Value; value: string } | { case: Pattern; value: string } | undefined {
  if (value !== undefined && pattern !== undefined) {
    const [one, other] = names.map((name) =>
      name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`),
    );
    throw usageError(`--${one} and --${other} exclude each other`);
  }
  if (value !== undefined) return { case: names[0], value };
  return pattern === undefined ? undefined : { case: names[1], value: pattern };
}

function claimsOf(proof: Proof) {
  const claims = pairsOf("--claim", proof.claim);
  const claimPatterns = pairsOf("--claim-pattern", proof.claimPattern);
  return given({
    iss: oneOf(["issuer", "issuerPattern"], proof.issuer, proof.issuerPattern),
    sub: oneOf(["subject", "subjectPattern"], proof.subject, proof.subjectPattern),
    aud: oneOf(["audience", "audiencePattern"], proof.audience, proof.audiencePattern),
    claims: proof.claim.length > 0 ? claims : undefined,
    claimPatterns: proof.claimPattern.length > 0 ? claimPatterns : undefined,
  });
}

function keysOf({ issuer, subject, audience, issuerKeys, expiration }: Proof) {
  return given({
    issuer,
    subject,
    issuerKeys,
    audiences: audience === undefined ? undefined : [audience],
    expirationTime: expiration === undefined ? undefined : timeAhead("--expiration", expiration),
  });
}

function awsOf({ awsAccount, arn, arnPattern, userId, userIdPattern }: Proof) {
  return given({
    awsAccount,
    awsArn: oneOf(["arn", "arnPattern"], arn, arnPattern),
    awsUserId: oneOf(["userId", "userIdPattern"], userId, userIdPattern),
  });
}

function readService(text: string): ServicePrincipal {
  const name = text.toUpperCase().replaceAll("-", "_").replace("SERVICE_PRINCIPAL_", "");
  const names = Object.keys(ServicePrincipal).filter((key) => /^[A-Z]/.test(key));
  if (name !== "UNSPECIFIED" && names.includes(name)) {
    return ServicePrincipal[name as keyof typeof ServicePrincipal];
  }
  throw usageError(
    `--service-principal: there is no service "${text}"`,
    didYouMean(name, names) ?? `one of ${names.slice(1).join(", ")}`,
  );
}
