import { timestampFromMs, timestampMs } from "@bufbuild/protobuf/wkt";
import type {
  Identity,
  Identity_AWSIdentity,
  Identity_ClaimMatch,
  Identity_StaticKeys,
} from "@wharf/contract";
import { ServicePrincipal } from "@wharf/contract";
import { ISSUER_URL, isIssuerUrl } from "@wharf/trust/issuer-url";
import { jwksProblem } from "@wharf/trust/key-set";
import { type FieldViolation, invalidArgument } from "../lib/errors.ts";
import { inspectPattern, MAX_CLAIM_PATTERN_STEPS } from "./pattern.ts";

/**
 * Checks the relationship of an identity before it is stored. Rules that can never match, or that match
 * every token by accident, are rejected.
 */

/** Static keys, which the issuer cannot rotate, are trusted for a year at most. */
const STATIC_KEYS_LIFETIME_MS = 365 * 24 * 3_600_000;

/** Rejects an invalid relationship; fills in the defaults of a valid one. */
export async function checkRelationship({ relationship }: Identity, now: number): Promise<void> {
  const found: FieldViolation[] = [];
  const reject = (field: string, description: string) => found.push({ field, description });
  switch (relationship.case) {
    case "claimMatch":
      await checkClaimMatch(relationship.value, reject);
      break;
    case "staticKeys":
      checkStaticKeys(relationship.value, now, reject);
      break;
    case "awsIdentity":
      await checkAws(relationship.value, reject);
      break;
    case "servicePrincipal":
      if (
        !(relationship.value in ServicePrincipal) ||
        relationship.value === ServicePrincipal.UNSPECIFIED
      ) {
        reject("servicePrincipal", "servicePrincipal must be one of the known services");
      }
      break;
    default:
      reject(
        "claimMatch",
        "one of claimMatch, staticKeys, awsIdentity, servicePrincipal is required",
      );
  }
  if (found.length > 0) throw invalidArgument(...found);
}

type Reject = (field: string, description: string) => void;

async function checkClaimMatch(
  { iss, sub, aud, claims, claimPatterns }: Identity_ClaimMatch,
  reject: Reject,
): Promise<void> {
  if (iss.case === "issuer") checkIssuer("claimMatch.issuer", iss.value, reject);
  else if (iss.case === "issuerPattern")
    await checkPattern("claimMatch.issuerPattern", iss.value, reject);
  else reject("claimMatch.issuer", "one of issuer, issuerPattern is required");
  if (sub.case === "subject") checkText("claimMatch.subject", sub.value, reject);
  else if (sub.case === "subjectPattern")
    await checkPattern("claimMatch.subjectPattern", sub.value, reject);
  else reject("claimMatch.subject", "one of subject, subjectPattern is required");
  if (aud.case === "audience") checkText("claimMatch.audience", aud.value, reject);
  else if (aud.case === "audiencePattern")
    await checkPattern("claimMatch.audiencePattern", aud.value, reject);
  for (const name of [...Object.keys(claims), ...Object.keys(claimPatterns)]) {
    if (name === "") reject("claimMatch.claims", "claims must have names");
  }
  let steps = 0;
  for (const [name, pattern] of Object.entries(claimPatterns)) {
    const field = `claimMatch.claimPatterns.${name}`;
    steps += await checkPattern(field, pattern, reject);
    if (steps > MAX_CLAIM_PATTERN_STEPS) {
      reject("claimMatch.claimPatterns", "claimPatterns are too large together");
      break;
    }
  }
}

function checkStaticKeys(keys: Identity_StaticKeys, now: number, reject: Reject): void {
  checkIssuer("staticKeys.issuer", keys.issuer, reject);
  checkText("staticKeys.subject", keys.subject, reject);
  const problem = keys.issuerKeys === "" ? "is required" : jwksProblem(keys.issuerKeys);
  if (problem !== undefined) reject("staticKeys.issuerKeys", `issuerKeys ${problem}`);
  if (keys.audiences.includes("")) reject("staticKeys.audiences", "audiences must not be empty");
  const latest = now + STATIC_KEYS_LIFETIME_MS;
  if (keys.expirationTime === undefined) {
    keys.expirationTime = timestampFromMs(latest);
    return;
  }
  const expires = timestampMs(keys.expirationTime);
  if (expires <= now) reject("staticKeys.expirationTime", "expirationTime must be in the future");
  if (expires > latest)
    reject("staticKeys.expirationTime", "expirationTime must be within 365 days");
}

async function checkAws(
  { awsArn, awsUserId }: Identity_AWSIdentity,
  reject: Reject,
): Promise<void> {
  if (awsArn.case === "arn") checkText("awsIdentity.arn", awsArn.value, reject);
  else if (awsArn.case === "arnPattern")
    await checkPattern("awsIdentity.arnPattern", awsArn.value, reject);
  else reject("awsIdentity.arn", "one of arn, arnPattern is required");
  if (awsUserId.case === "userId") checkText("awsIdentity.userId", awsUserId.value, reject);
  else if (awsUserId.case === "userIdPattern") {
    await checkPattern("awsIdentity.userIdPattern", awsUserId.value, reject);
  } else reject("awsIdentity.userId", "one of userId, userIdPattern is required");
}

function checkText(field: string, value: string, reject: Reject): void {
  if (value.trim() === "") reject(field, `${lastName(field)} is required`);
}

/** Checks a pattern, and returns the number of its steps. */
async function checkPattern(field: string, pattern: string, reject: Reject): Promise<number> {
  const judged = await inspectPattern(pattern);
  if ("steps" in judged) return judged.steps;
  reject(field, `${lastName(field)} ${judged.problem}`);
  return 0;
}

function checkIssuer(field: string, issuer: string, reject: Reject): void {
  if (isIssuerUrl(issuer)) return;
  reject(field, `${lastName(field)} must be ${ISSUER_URL}, such as https://issuer.example.com`);
}

function lastName(field: string): string {
  return field.slice(field.lastIndexOf(".") + 1);
}
