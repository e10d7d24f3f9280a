import { timestampFromMs, timestampMs } from "@bufbuild/protobuf/wkt";
import type {
  Identity,
  Identity_AWSIdentity,
  Identity_ClaimMatch,
  Identity_StaticKeys,
} from "@wharf/contract";
import { ServicePrincipal } from "@wharf/contract";
import { type FieldViolation, invalidArgument } from "../lib/errors.ts";
import { ISSUER_URL, isIssuerUrl } from "../lib/issuer-url.ts";
import { inspectPattern, MAX_CLAIM_PATTERN_STEPS } from "./pattern.ts";

/**
 * What an identity asks of whoever claims to be it, checked before it is stored: a rule that could
 * never hold, or could hold for everyone by accident, is refused.
 */

/** Keys that cannot be rotated by their issuer are trusted for a year at most. */
const STATIC_KEYS_LIFETIME_MS = 365 * 24 * 3_600_000;

/**
 * Refuses an identity whose relationship cannot be trusted; fills in the defaults of one that can.
 *
 * @example await checkRelationship(identity, Date.now());
 */
export async function checkRelationship({ relationship }: Identity, now: number): Promise<void> {
  const found: FieldViolation[] = [];
  const refuse = (field: string, description: string) => found.push({ field, description });
  switch (relationship.case) {
    case "claimMatch":
      await checkClaimMatch(relationship.value, refuse);
      break;
    case "staticKeys":
      checkStaticKeys(relationship.value, now, refuse);
      break;
    case "awsIdentity":
      await checkAws(relationship.value, refuse);
      break;
    case "servicePrincipal":
      if (
        !(relationship.value in ServicePrincipal) ||
        relationship.value === ServicePrincipal.UNSPECIFIED
      ) {
        refuse("servicePrincipal", "servicePrincipal must be one of the known services");
      }
      break;
    default:
      refuse(
        "claimMatch",
        "one of claimMatch, staticKeys, awsIdentity, servicePrincipal is required",
      );
  }
  if (found.length > 0) throw invalidArgument(...found);
}

type Refuse = (field: string, description: string) => void;

async function checkClaimMatch(
  { iss, sub, aud, claims, claimPatterns }: Identity_ClaimMatch,
  refuse: Refuse,
): Promise<void> {
  if (iss.case === "issuer") checkIssuer("claimMatch.issuer", iss.value, refuse);
  else if (iss.case === "issuerPattern")
    await checkPattern("claimMatch.issuerPattern", iss.value, refuse);
  else refuse("claimMatch.issuer", "one of issuer, issuerPattern is required");
  if (sub.case === "subject") checkText("claimMatch.subject", sub.value, refuse);
  else if (sub.case === "subjectPattern")
    await checkPattern("claimMatch.subjectPattern", sub.value, refuse);
  else refuse("claimMatch.subject", "one of subject, subjectPattern is required");
  if (aud.case === "audience") checkText("claimMatch.audience", aud.value, refuse);
  else if (aud.case === "audiencePattern")
    await checkPattern("claimMatch.audiencePattern", aud.value, refuse);
  for (const name of [...Object.keys(claims), ...Object.keys(claimPatterns)]) {
    if (name === "") refuse("claimMatch.claims", "claims must have names");
  }
  let steps = 0;
  for (const [name, pattern] of Object.entries(claimPatterns)) {
    const field = `claimMatch.claimPatterns.${name}`;
    steps += await checkPattern(field, pattern, refuse);
    if (steps > MAX_CLAIM_PATTERN_STEPS) {
      refuse("claimMatch.claimPatterns", "claimPatterns are too large together");
      break;
    }
  }
}

function checkStaticKeys(keys: Identity_StaticKeys, now: number, refuse: Refuse): void {
  checkIssuer("staticKeys.issuer", keys.issuer, refuse);
  checkText("staticKeys.subject", keys.subject, refuse);
  const problem = jwksProblem(keys.issuerKeys);
  if (problem !== undefined) refuse("staticKeys.issuerKeys", problem);
  if (keys.audiences.includes("")) refuse("staticKeys.audiences", "audiences must not be empty");
  const latest = now + STATIC_KEYS_LIFETIME_MS;
  if (keys.expirationTime === undefined) {
    keys.expirationTime = timestampFromMs(latest);
    return;
  }
  const expires = timestampMs(keys.expirationTime);
  if (expires <= now) refuse("staticKeys.expirationTime", "expirationTime must be in the future");
  if (expires > latest)
    refuse("staticKeys.expirationTime", "expirationTime must be within 365 days");
}

async function checkAws(
  { awsArn, awsUserId }: Identity_AWSIdentity,
  refuse: Refuse,
): Promise<void> {
  if (awsArn.case === "arn") checkText("awsIdentity.arn", awsArn.value, refuse);
  else if (awsArn.case === "arnPattern")
    await checkPattern("awsIdentity.arnPattern", awsArn.value, refuse);
  else refuse("awsIdentity.arn", "one of arn, arnPattern is required");
  if (awsUserId.case === "userId") checkText("awsIdentity.userId", awsUserId.value, refuse);
  else if (awsUserId.case === "userIdPattern") {
    await checkPattern("awsIdentity.userIdPattern", awsUserId.value, refuse);
  } else refuse("awsIdentity.userId", "one of userId, userIdPattern is required");
}

function checkText(field: string, value: string, refuse: Refuse): void {
  if (value.trim() === "") refuse(field, `${lastName(field)} is required`);
}

/** Checks a pattern, and returns how many steps it has. */
async function checkPattern(field: string, pattern: string, refuse: Refuse): Promise<number> {
  const judged = await inspectPattern(pattern);
  if ("steps" in judged) return judged.steps;
  refuse(field, `${lastName(field)} ${judged.problem}`);
  return 0;
}

function checkIssuer(field: string, issuer: string, refuse: Refuse): void {
  if (isIssuerUrl(issuer)) return;
  refuse(field, `${lastName(field)} must be ${ISSUER_URL}, such as https://issuer.example.com`);
}

/** The part of each kind of key that must stay with its owner. */
const PRIVATE_MEMBERS = ["d", "p", "q", "dp", "dq", "qi", "oth", "k"];

function jwksProblem(text: string): string | undefined {
  if (text === "") return "issuerKeys is required";
  let document: unknown;
  try {
    document = JSON.parse(text);
  } catch {
    return "issuerKeys must be a JSON Web Key Set";
  }
  const keys = (document as { keys?: unknown } | null)?.keys;
  if (!Array.isArray(keys) || keys.length === 0) return "issuerKeys must hold at least one key";
  for (const key of keys) {
    if (typeof key !== "object" || key === null || typeof key.kty !== "string") {
      return "issuerKeys must hold keys with a kty";
    }
    if (PRIVATE_MEMBERS.some((member) => member in key))
      return "issuerKeys must hold public keys only";
  }
  return undefined;
}

function lastName(field: string): string {
  return field.slice(field.lastIndexOf(".") + 1);
}
