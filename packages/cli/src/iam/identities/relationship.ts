import { ServicePrincipal } from "@wharf/contract";
import { didYouMean } from "../../command/suggest.ts";
import { usageError } from "../../errors.ts";
import { definedFields, readFutureTime, readPairs } from "../../resource/values.ts";

/** Values of the options that say which tokens an identity trusts. */
export interface TrustArgs {
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

const CLAIM_OPTIONS = [
  "issuerPattern",
  "subjectPattern",
  "audiencePattern",
  "claim",
  "claimPattern",
] as const;
const KEY_OPTIONS = ["issuerKeys", "expiration"] as const;
/** Options of claims and of keys. */
const SHARED_OPTIONS = ["issuer", "subject", "audience"] as const;
const AWS_OPTIONS = ["awsAccount", "arn", "arnPattern", "userId", "userIdPattern"] as const;

/**
 * The relationship that the options describe; undefined for none. Options of two types are mutually exclusive. Shared
 * options keep the current type of an identity.
 */
export function relationshipOf(args: TrustArgs, currentType?: string) {
  const types = {
    claims: givenFlags(args, CLAIM_OPTIONS),
    keys: givenFlags(args, KEY_OPTIONS),
    aws: givenFlags(args, AWS_OPTIONS),
    service: givenFlags(args, ["servicePrincipal"]),
  };
  const shared = givenFlags(args, SHARED_OPTIONS);
  const [first, second] = Object.values(types).filter((flags) => flags.length > 0);
  const conflict =
    second?.[0] ?? (types.aws.length + types.service.length > 0 ? shared[0] : undefined);
  if (first !== undefined && conflict !== undefined) {
    throw usageError(
      `${first[0]} and ${conflict} are mutually exclusive`,
      "an identity trusts either claims, keys, an AWS principal or a service",
    );
  }
  if (types.service.length > 0) {
    return { case: "servicePrincipal", value: readService(args.servicePrincipal ?? "") } as const;
  }
  if (types.aws.length > 0) return { case: "awsIdentity", value: awsOf(args) } as const;
  if (types.keys.length > 0 || (currentType === "staticKeys" && shared.length > 0)) {
    return { case: "staticKeys", value: keysOf(args) } as const;
  }
  if (types.claims.length + shared.length === 0) return undefined;
  return { case: "claimMatch", value: claimsOf(args) } as const;
}

function givenFlags(args: TrustArgs, names: readonly (keyof TrustArgs)[]): string[] {
  return names
    .filter((name) =>
      Array.isArray(args[name]) ? args[name].length > 0 : args[name] !== undefined,
    )
    .map((name) => `--${kebabCase(name)}`);
}

function kebabCase(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

function valueOrPattern<Value extends string, Pattern extends string>(
  names: readonly [value: Value, pattern: Pattern],
  value: string | undefined,
  pattern: string | undefined,
): { case: Value; value: string } | { case: Pattern; value: string } | undefined {
  if (value !== undefined && pattern !== undefined) {
    const [one, other] = names.map(kebabCase);
    throw usageError(`--${one} and --${other} are mutually exclusive`);
  }
  if (value !== undefined) return { case: names[0], value };
  return pattern === undefined ? undefined : { case: names[1], value: pattern };
}

function claimsOf(args: TrustArgs) {
  const claims = readPairs("--claim", args.claim);
  const claimPatterns = readPairs("--claim-pattern", args.claimPattern);
  return definedFields({
    iss: valueOrPattern(["issuer", "issuerPattern"], args.issuer, args.issuerPattern),
    sub: valueOrPattern(["subject", "subjectPattern"], args.subject, args.subjectPattern),
    aud: valueOrPattern(["audience", "audiencePattern"], args.audience, args.audiencePattern),
    claims: args.claim.length > 0 ? claims : undefined,
    claimPatterns: args.claimPattern.length > 0 ? claimPatterns : undefined,
  });
}

/** The keys of one subject of an issuer. */
function keysOf({
  issuer,
  subject,
  audience,
  issuerKeys,
  expiration,
}: Pick<TrustArgs, "issuer" | "subject" | "audience" | "issuerKeys" | "expiration">) {
  return definedFields({
    issuer,
    subject,
    issuerKeys,
    audiences: audience === undefined ? undefined : [audience],
    expirationTime:
      expiration === undefined ? undefined : readFutureTime("--expiration", expiration),
  });
}

function awsOf({ awsAccount, arn, arnPattern, userId, userIdPattern }: TrustArgs) {
  return definedFields({
    awsAccount,
    awsArn: valueOrPattern(["arn", "arnPattern"], arn, arnPattern),
    awsUserId: valueOrPattern(["userId", "userIdPattern"], userId, userIdPattern),
  });
}

function readService(text: string): ServicePrincipal {
  const name = text.toUpperCase().replaceAll("-", "_").replace("SERVICE_PRINCIPAL_", "");
  const names = Object.keys(ServicePrincipal).filter((key) => /^[A-Z]/.test(key));
  if (name !== "UNSPECIFIED" && names.includes(name)) {
    return ServicePrincipal[name as keyof typeof ServicePrincipal];
  }
  throw usageError(
    `--service-principal: unknown service "${text}"`,
    didYouMean(name, names) ?? `one of ${names.slice(1).join(", ")}`,
  );
}
